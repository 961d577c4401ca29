import { GatewayError, type Gateway } from '../../gateway/gateway.ts';
import type { GatewayOperations } from '../../gateway/operations.ts';
import { sameJson, type Json } from '../../model/json/json.ts';
import { atLeast } from '../../model/text/version.ts';
import type { Host } from '../host.ts';
import { RequestError } from '../request-error.ts';

/** One instance of a gateway: the state of switching is in its memory, so each has to be told (gateway-api C.6, B.8). */
export type Instance = Pick<Gateway, 'url'> &
  Pick<GatewayOperations, 'readVersion' | 'switchCluster' | 'readConnection'>;

export type Switch = { readonly from: string; readonly to: string };

/** What is known of an instance before it is told. */
export type Prepared = { readonly instance: Instance } & (
  | { readonly version: string; readonly api: 'v1' | 'v2'; readonly before: Json | undefined }
  | { readonly error: GatewayError }
);

export type Outcome = {
  readonly url: string;
  readonly version?: string;
  /** `switched` was read back; `accepted` cannot be; `unconfirmed` was accepted, and reads otherwise. */
  readonly status: 'switched' | 'accepted' | 'unconfirmed' | 'failed' | 'not-attempted';
  readonly message?: string;
};

/**
 * Looks which API an instance has, and that v1 knows the clusters. One that cannot be reached is for the outcome: the others
 * may have to be switched because of it. Throws a RequestError, or a GatewayError for a cluster that is not there.
 */
export async function prepareSwitch(
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
export async function switchInstance(
  { clock }: Pick<Host, 'clock'>,
  prepared: Prepared,
  clusters: Switch,
  settleTimeoutMs: number,
): Promise<Outcome> {
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
