import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Outcome } from './reconcile.ts';
import { isTrue, type GatewayConfig } from './resource.ts';
import { intervalMs } from './schedule.ts';

const BY = ['namespace', 'name'] as const;
type Labels = Readonly<Record<(typeof BY)[number], string>>;

/** Gauges of a resource, each with its meaning and its value; undefined where there is none yet. */
const GAUGES: Readonly<
  Record<string, readonly [help: string, value: (resource: GatewayConfig) => number | undefined]>
> = {
  gwconf_ready: ['1 if the resource is ready, else 0', ({ status }) => (isTrue(status, 'Ready') ? 1 : 0)],
  gwconf_stalled: [
    '1 if somebody has to mend something, else 0',
    ({ status }) => (isTrue(status, 'Stalled') ? 1 : 0),
  ],
  gwconf_suspended: ['1 if the resource is suspended, else 0', ({ spec }) => (spec.suspend === true ? 1 : 0)],
  gwconf_pending_plan: [
    '1 if a plan waits for approval, else 0',
    ({ status }) => (status?.pendingPlan === undefined ? 0 : 1),
  ],
  gwconf_changes: [
    'Changes that the last plan would make, or that are left after a run',
    ({ status }) => status?.changes?.total,
  ],
  gwconf_drift: [
    'Objects on the gateway that are not as the files say',
    ({ status }) => status?.drift?.count,
  ],
  gwconf_pending_losses: [
    'Losses of protection in the plan that waits for approval, at most 10',
    ({ status }) => Math.min(10, status?.pendingPlan?.losses.length ?? 0),
  ],
  gwconf_unprotected: [
    'Protections that some clients lack since an unfinished run, at most 10',
    ({ status }) => Math.min(10, status?.unprotected?.length ?? 0),
  ],
  gwconf_last_run_duration_seconds: [
    'How long the last look took',
    ({ status: { lastRun } = {} }) =>
      lastRun === undefined ? undefined : (Date.parse(lastRun.at) - Date.parse(lastRun.startedAt)) / 1000,
  ],
  gwconf_interval_seconds: [
    'How often the resource is to be looked at',
    (resource) => intervalMs(resource) / 1000,
  ],
  gwconf_last_success_timestamp_seconds: [
    'When a look last ended well; time() minus this is its age',
    ({ status: { lastSuccess } = {} }) =>
      lastSuccess === undefined ? undefined : Date.parse(lastSuccess) / 1000,
  ],
};

/** The metrics of a replica: counters of what it did, and gauges of what every replica reads in the status of all resources. */
export function makeMetrics({
  resources,
  depth,
}: {
  readonly resources: () => readonly GatewayConfig[];
  readonly depth: () => number;
}) {
  const registry = new Registry();
  const registers = [registry];
  for (const [name, [help, valueOf]] of Object.entries(GAUGES)) {
    new Gauge({
      name,
      help,
      labelNames: BY,
      registers,
      collect() {
        this.reset();
        for (const resource of resources()) {
          const value = valueOf(resource);
          if (typeof value === 'number') this.set(labelsOf(resource), value);
        }
      },
    });
  }
  new Gauge({
    name: 'gwconf_queue_depth',
    help: 'Resources that are looked at or due, on this replica',
    registers,
    collect() {
      this.set(depth());
    },
  });
  const counter = <L extends string>(
    name: string,
    help: string,
    ...more: readonly L[]
  ): Counter<L | (typeof BY)[number]> => new Counter({ name, help, labelNames: [...BY, ...more], registers });
  const runs = counter('gwconf_runs_total', 'Looks at gateways, by how they ended', 'state');
  const plans = counter('gwconf_plans_total', 'Plans that were made');
  const made = counter('gwconf_changes_made_total', 'Changes that were made on gateways');
  const losses = counter('gwconf_losses_total', 'Losses of protection in plans with changes that were made');
  const calls = counter('gwconf_gateway_calls_total', 'Calls to gateways');
  const durations = new Histogram({
    name: 'gwconf_run_duration_seconds',
    help: 'How long looks took',
    buckets: [0.1, 0.3, 1, 3, 10, 30, 100, 300],
    registers,
  });
  const kubeErrors = new Counter({
    name: 'gwconf_kubernetes_errors_total',
    help: 'Calls to the API server of Kubernetes that failed',
    registers,
  });
  return {
    registry,
    note(resource: GatewayConfig, outcome: Outcome, seconds: number): void {
      const labels = labelsOf(resource);
      runs.inc({ ...labels, state: outcome.state });
      if (outcome.plan !== undefined) plans.inc(labels);
      made.inc(labels, outcome.made);
      if (outcome.made > 0) losses.inc(labels, outcome.plan?.losses.length ?? 0);
      calls.inc(labels, outcome.calls);
      durations.observe(seconds);
    },
    forget(labels: Labels): void {
      for (const one of [plans, made, losses, calls]) one.remove(labels);
      for (const state of ['done', 'waiting', 'failed', 'stalled', 'interrupted'])
        runs.remove({ ...labels, state });
    },
    noteKubeError: () => kubeErrors.inc(),
  };
}

function labelsOf({ metadata: { namespace = '', name } }: GatewayConfig): Labels {
  return { namespace, name };
}
