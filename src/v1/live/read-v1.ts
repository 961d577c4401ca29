import { isList, isObject, valueOf, type Json, type JsonObject } from '../../model/json/json.ts';
import { fitsInPath } from '../../model/resource.ts';
import { GatewayError } from '../../gateway/gateway.ts';
import type { GatewayOperations } from '../../gateway/operations.ts';

/** Objects of v1 as it lists them (gateway-api C), each with its virtual cluster. */
export type V1State = {
  readonly clusters: readonly string[];
  readonly interceptors: readonly JsonObject[];
  readonly mappings: readonly JsonObject[];
  readonly topics: readonly JsonObject[];
  readonly rules: readonly JsonObject[];
};

type Source = Pick<GatewayOperations, 'readV1'>;

/**
 * Reads all that v1 lists, in the virtual clusters that it names and in `known`; undefined if the gateway has no v1. v1 lists
 * neither LOCAL accounts nor, before 3.2.0, virtual clusters without topics. Rejects with a GatewayError.
 */
export async function readV1(source: Source, known: readonly string[]): Promise<V1State | undefined> {
  const root = '/admin/interceptors/v1';
  const listed = (await source.readV1(`${root}/all`)) ?? (await source.readV1(`${root}/interceptors`));
  const named = await source.readV1('/admin/vclusters/v1');
  if (listed === undefined && named === undefined) return undefined;
  const interceptors = objectsIn(valueOf(listed, 'interceptors') ?? listed, 'interceptors');
  const clusters = new Set([
    'passthrough',
    ...textsIn(valueOf(named, 'vclusters'), 'virtual clusters'),
    ...known,
  ]);
  for (const { vcluster } of interceptors) if (typeof vcluster === 'string') clusters.add(vcluster);
  const found = await inTurn([...clusters], (cluster) => readCluster(cluster, source));
  return {
    clusters: [...clusters],
    interceptors,
    mappings: found.flatMap((one) => one.mappings),
    topics: found.flatMap((one) => one.topics),
    rules: found.flatMap((one) => one.rules),
  };
}

async function readCluster(
  vcluster: string,
  source: Source,
): Promise<Pick<V1State, 'mappings' | 'topics' | 'rules'>> {
  const at = `vcluster/${segment(vcluster)}`;
  const mapped = `/admin/userMappings/v1/${at}` as const;
  const usernames = textsIn(await source.readV1(mapped), 'user mappings');
  const mappings = await inTurn(usernames, (username) =>
    source.readV1(`${mapped}/username/${segment(username)}`),
  );
  const topics = objectsIn(await source.readV1(`/admin/vclusters/v1/${at}/topics`), 'topic mappings');
  const rules = objectsIn(
    await source.readV1(`/admin/vclusters/v1/${at}/concentration-rules`),
    'concentration rules',
  );
  const placed = (one: JsonObject): JsonObject => ({ ...one, vcluster });
  return {
    mappings: mappings.filter(isObject).map(placed),
    topics: topics.map(placed),
    rules: rules.map(placed),
  };
}

function segment(name: string): string {
  return fitsInPath(name) ? encodeURIComponent(name) : fail('names');
}

/** Some calls at a time: each virtual cluster and user has calls of its own. */
async function inTurn<T, R>(items: readonly T[], read: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += AT_ONCE) {
    const calls = items.slice(start, start + AT_ONCE).map(read);
    await Promise.allSettled(calls); // no call is in flight when one of them throws
    for (const result of await Promise.all(calls)) results.push(result);
  }
  return results;
}

const AT_ONCE = 8;

function objectsIn(value: Json | undefined, what: string): readonly JsonObject[] {
  const found = listOf(value, what);
  return found.map((one) => (isObject(one) ? one : fail(what)));
}

function textsIn(value: Json | undefined, what: string): readonly string[] {
  return listOf(value, what).map((one) => (typeof one === 'string' ? one : fail(what)));
}

function listOf(value: Json | undefined, what: string): readonly Json[] {
  if (value === undefined || isList(value)) return value ?? [];
  return fail(what);
}

function fail(what: string): never {
  throw new GatewayError(
    'not-understood',
    `v1 of the gateway answers with something else than a list of ${what}`,
    {
      hint: 'check that --url is the admin API of a gateway, and any proxy in between',
    },
  );
}
