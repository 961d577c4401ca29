import { digest } from '../plan/saved/digest.ts';
import type { Host } from '../workflow/host.ts';
import { PATHS, type Kube } from './kube.ts';
import type { makeMetrics } from './metrics.ts';
import { reconcile, type Outcome, type ReconcileOptions } from './reconcile.ts';
import {
  FINALIZER,
  gatewayOf,
  GROUP,
  KIND,
  VERSION,
  keyOf,
  type GatewayConfig,
  type Status,
} from './resource.ts';
import type { Schedule } from './schedule.ts';
import { eventsOf, statusAfter, statusDuring, type Said } from './status.ts';

/** What a replica looks at resources with. */
type Means = {
  readonly host: Host;
  readonly kube: Kube;
  /** Its name. */
  readonly pod: string;
  readonly schedule: Schedule;
  readonly metrics: Pick<ReturnType<typeof makeMetrics>, 'note'>;
  /** All resources that it knows. */
  readonly others: () => readonly GatewayConfig[];
  readonly options: Omit<ReconcileOptions, 'signal' | 'removes' | 'others'> & {
    readonly onLook?: (key: string, outcome: Outcome) => void;
  };
};

/** Looks at resources, and tells what came of it in their status, events, metrics and the log. */
export function makeLooker({ host, kube, pod, schedule, metrics, others, options }: Means) {
  const { log } = host;
  /** What only a run knows, of one whose status could not be written; and the last run that a status was written of. */
  const unwritten = new Map<
    string,
    { readonly since: string | undefined } & Pick<Status, 'unprotected' | 'lastAppliedPlan'>
  >();

  async function look(resource: GatewayConfig, stop: AbortSignal): Promise<number | undefined> {
    const key = keyOf(resource);
    const { metadata, spec, status } = resource;
    const isGoing = metadata.deletionTimestamp !== undefined;
    const prunes = spec.prune === true && (spec.mode ?? 'plan') !== 'plan';
    const finalizers = metadata.finalizers ?? [];
    // What is on a gateway that it never changed, nor found as its files say, is not its own.
    const hasOwn = status?.lastAppliedGateway === gatewayOf(spec.gateway.url);
    if (isGoing && (!finalizers.includes(FINALIZER) || !prunes || !hasOwn || spec.suspend === true)) {
      await setFinalizer(kube, resource, false);
      return undefined;
    }
    if (!isGoing && prunes !== finalizers.includes(FINALIZER)) {
      await setFinalizer(kube, resource, prunes);
      return 0;
    }
    if (status?.observedGeneration !== metadata.generation)
      await kube.writeStatus(resource, statusDuring(resource, host.now()));
    const start = host.now();
    const outcome = await reconcile(host, kube, resource, {
      ...options,
      signal: stop,
      removes: isGoing,
      others: others(),
    });
    const end = host.now();
    const seconds = (end.getTime() - start.getTime()) / 1000;
    schedule.noteLook(key);
    metrics.note(resource, outcome, seconds);
    const after = statusAfter(resource, outcome, { start, end, by: pod });
    const { state, reason, message, revision, made } = outcome;
    log.info(
      { resource: key, revision, state, reason, made, seconds },
      after.conditions?.[0]?.message ?? message,
    );
    const isGone = isGoing && state === 'done';
    if (isGone) await setFinalizer(kube, resource, false);
    else await writeStatus(resource, after);
    for (const said of eventsOf(resource, outcome, after)) {
      await createEvent(kube, host, pod, resource, said);
      log.info({ resource: key, reason: said.reason, type: said.type }, said.message);
    }
    options.onLook?.(key, outcome);
    return isGone ? undefined : schedule.afterLook(resource, state);
  }

  async function writeStatus(resource: GatewayConfig, after: Status): Promise<void> {
    const key = keyOf(resource);
    const { unprotected, lastAppliedPlan } = after;
    unwritten.set(key, { since: resource.status?.lastRun?.at, unprotected, lastAppliedPlan });
    await kube.writeStatus(resource, after);
    unwritten.delete(key);
  }

  return {
    /** The resource, with what no status could say of its last run. */
    withUntold(resource: GatewayConfig): GatewayConfig {
      const key = keyOf(resource);
      const { since, ...untold } = unwritten.get(key) ?? {};
      const isUntold = unwritten.has(key) && since === resource.status?.lastRun?.at;
      return isUntold ? { ...resource, status: { ...resource.status, ...untold } } : resource;
    },
    /** Looks at a resource until the signal, and says in how many milliseconds to do so again; undefined for never. */
    look,
    forget: (key: string): void => void unwritten.delete(key),
  };
}

/** What cannot be told is in the log. */
async function createEvent(
  kube: Kube,
  host: Pick<Host, 'now' | 'random'>,
  pod: string,
  { metadata: { namespace = '', name, uid } }: GatewayConfig,
  said: Said,
): Promise<void> {
  const time = host.now().toISOString();
  const id = digest(`${host.random()} ${said.reason}`).slice(0, 16);
  const event = {
    metadata: { name: `${name.slice(0, 200)}.${id}`, namespace },
    involvedObject: { apiVersion: `${GROUP}/${VERSION}`, kind: KIND, name, namespace, uid },
    source: { component: 'gwconf-controller', host: pod },
    ...said,
    ...{ firstTimestamp: time, lastTimestamp: time, count: 1 },
  };
  await kube.create(PATHS.core(namespace, 'events'), event).catch(() => undefined);
}

/** On the newest version: the status was written meanwhile. */
async function setFinalizer(kube: Kube, { metadata }: GatewayConfig, wanted: boolean): Promise<void> {
  const newest = await kube.get<GatewayConfig>(PATHS.resource({ metadata }));
  if (newest === undefined || newest.metadata.uid !== metadata.uid) return;
  const before = newest.metadata.finalizers ?? [];
  if (before.includes(FINALIZER) === wanted) return;
  const others = before.filter((one) => one !== FINALIZER);
  await kube.setFinalizers(newest, wanted ? [...others, FINALIZER] : others);
}
