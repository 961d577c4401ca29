import { addAll } from '../../model/collect.ts';
import type { Problem } from '../../model/problem.ts';
import type { Told } from '../../outcome/outcome.ts';
import type { SwitchReport } from '../../outcome/gateway.ts';
import { describeProblem } from '../../outcome/problem-record.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import type { Workspace } from '../project/workspace.ts';
import { isEmbedded } from './embedded.ts';
import { type Opened, gatewayProblem } from './read-live.ts';
import { checkTarget } from './target.ts';
import { GatewayError, type Gateway, type GatewayOperations } from '../../gateway/gateway.ts';
import { sameJson, type Json } from '../../model/json/json.ts';
import { atLeast } from '../../model/text/version.ts';
import type { Host } from '../host.ts';
import { RequestError } from '../system-error.ts';

/** One instance of a gateway: the state of switching is in its memory, so each has to be told (gateway-api C.6, B.8). */
type Instance = Pick<Gateway, 'url'> &
  Pick<GatewayOperations, 'readVersion' | 'switchCluster' | 'readConnection'>;

type Switch = { readonly from: string; readonly to: string };

/** What is known of an instance before it is told. */
export type Prepared = { readonly instance: Instance } & (
  | { readonly version: string; readonly api: 'v1' | 'v2'; readonly before: Json | undefined }
  | { readonly error: GatewayError }
);

type SwitchedInstance = SwitchReport['instances'][number];

export type SwitchOptions = Switch & {
  readonly settleTimeoutMs: number;
  /** Also where the API is not documented. */
  readonly isExperimental: boolean;
  /** Asked before anything is changed. */
  readonly approve: (prepared: readonly Prepared[]) => Promise<boolean>;
  /** Instances are told no more once it is aborted. */
  readonly signal: AbortSignal;
};

/** Tells every instance of a gateway to use another physical cluster. */
export async function switchCluster(
  host: Pick<Host, 'clock'>,
  workspace: Workspace,
  instances: Iterable<() => Promise<Opened<Instance>>>,
  { from, to, settleTimeoutMs, isExperimental, approve, signal }: SwitchOptions,
): Promise<Told<SwitchReport>> {
  const found: Problem[] = [];
  const end = (
    result: SwitchReport['result'],
    outcomes: readonly SwitchedInstance[] = [],
  ): Told<SwitchReport> => {
    const problems = locateProblems(found);
    const outcome: SwitchReport = {
      format: 'gwconf/switch-report@1',
      ...{ result, from, to, instances: outcomes },
      problems: problems.map(describeProblem),
    };
    return { outcome, problems };
  };
  const prepared: Prepared[] = [];
  try {
    const open: Instance[] = [];
    for (const connect of instances) {
      const opened = await connect();
      addAll(found, 'problems' in opened ? opened.problems : opened.warnings);
      if ('problems' in opened) return end(opened.result);
      open.push(opened.gateway);
    }
    for (const instance of open) {
      if (isEmbedded(instance.url))
        throw new RequestError(
          `${instance.url} runs only while a command does: start an instance with gwconf gateway`,
        );
      const wrongTarget = checkTarget(undefined, instance.url, workspace);
      if (wrongTarget !== undefined) {
        found.push(wrongTarget);
        return end('stale');
      }
      const known = { version: workspace.environment?.version, isExperimental };
      prepared.push(await prepareSwitch(instance, { from, to }, known));
    }
  } catch (error) {
    found.push(gatewayProblem(error)); // throws what is no answer of a gateway
    return end('error');
  }
  if (!(await approve(prepared))) return end('unchanged');
  const outcomes: SwitchedInstance[] = [];
  for (const one of prepared)
    outcomes.push(
      signal.aborted
        ? { url: one.instance.url, status: 'not-attempted' }
        : await switchInstance(host, one, { from, to }, settleTimeoutMs),
    );
  return end(resultOf(outcomes), outcomes);
}

function resultOf(outcomes: readonly SwitchedInstance[]): SwitchReport['result'] {
  if (outcomes.some(({ status }) => status === 'not-attempted')) return 'interrupted';
  const done = outcomes.filter(({ status }) => status === 'switched' || status === 'accepted').length;
  return done === outcomes.length ? 'ok' : done === 0 ? 'failed' : 'partial';
}

/**
 * Looks which API an instance has, and that v1 knows the clusters. One that cannot be reached is for the outcome: the others
 * may have to be switched because of it. Throws a RequestError, or a GatewayError for a cluster that is not there.
 */
async function prepareSwitch(
  instance: Instance,
  { from, to }: Switch,
  {
    version: declared,
    isExperimental,
  }: { readonly version: string | undefined; readonly isExperimental: boolean },
): Promise<Prepared> {
  try {
    const version = (await instance.readVersion()) ?? declared;
    if (version === undefined)
      throw new RequestError(
        `${instance.url} does not tell its version: write version of the environment in gwconf.yaml`,
      );
    const api = atLeast(version, '3.21.0') ? 'v2' : 'v1';
    if (api === 'v2' && !isExperimental)
      throw new RequestError(
        `the API of gateway ${version} for cluster switching is not documented: --experimental makes the call that gwconf expects`,
      );
    const before = api === 'v1' ? await instance.readConnection(from) : undefined;
    if (api === 'v1') await instance.readConnection(to);
    return { instance, version, api, before };
  } catch (error) {
    if (error instanceof GatewayError && error.code !== 'refused') return { instance, error };
    throw error;
  }
}

/** Tells an instance, and reads back whether it did where v1 can say. Never rejects with a GatewayError. */
async function switchInstance(
  { clock }: Pick<Host, 'clock'>,
  prepared: Prepared,
  clusters: Switch,
  settleTimeoutMs: number,
): Promise<SwitchedInstance> {
  const { instance } = prepared;
  const { url } = instance;
  if ('error' in prepared) return { url, status: 'failed', message: prepared.error.message };
  const { version, api } = prepared;
  try {
    await instance.switchCluster({ api, ...clusters });
    if (api === 'v2')
      return { url, version, status: 'accepted', message: 'v2 has no documented way to read it back' };
    const end = clock.now() + settleTimeoutMs;
    let delay = FIRST_DELAY_MS;
    while (!(await isSwitched(instance, clusters, prepared.before))) {
      if (clusters.from === clusters.to)
        return { url, version, status: 'accepted', message: 'its connection is the one that it had' };
      if (clock.now() + delay > end)
        return {
          url,
          version,
          status: 'unconfirmed',
          message: `it still shows another connection than that of ${clusters.to}`,
        };
      await clock.wait(delay, new AbortController().signal);
      delay *= 2;
    }
    return { url, version, status: 'switched' };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return { url, version, status: 'failed', message: error.message };
  }
}

const FIRST_DELAY_MS = 200;

/** Back on its own connection, a cluster is compared with what it had. */
async function isSwitched(
  instance: Instance,
  { from, to }: Switch,
  before: Json | undefined,
): Promise<boolean> {
  const now = await instance.readConnection(from);
  if (from === to) return before !== undefined && !sameJson(now, before);
  return sameJson(now, await instance.readConnection(to));
}
