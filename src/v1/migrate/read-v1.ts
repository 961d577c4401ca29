import { GatewayError, type GatewayOperations } from '../../gateway/gateway.ts';
import { groupBy } from '../../model/collect.ts';
import { identify } from '../../model/identity.ts';
import { isList, isObject, textUnder, valueOf, type Json, type JsonObject } from '../../model/json/json.ts';
import { asValid, fitsInPath, type Resource } from '../../model/resource.ts';
import { aliasTopic } from '../../schema/kinds/alias-topic.ts';
import { catalog } from '../../schema/kinds/index.ts';
import { virtualCluster } from '../../schema/kinds/virtual-cluster.ts';
import { RESERVED, type Call, type UnreadCall } from '../read/request.ts';
import { hasReserved } from '../read/unknown.ts';

/** Objects of v1 as it lists them (gateway-api C), each with its virtual cluster. */
export type V1State = {
  /** Virtual clusters by name: those that v1 lists, and those that the user knows. */
  readonly clusters: readonly string[];
  readonly interceptors: readonly JsonObject[];
  readonly mappings: readonly Mapping[];
  readonly topics: readonly JsonObject[];
  readonly rules: readonly JsonObject[];
};

/** `shown` is undefined if v1 lists the user, and shows no mapping of it. */
type Mapping = { readonly vcluster: string; readonly username: string; readonly shown: Json | undefined };

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
  const interceptors = listOf(valueOf(listed, 'interceptors') ?? listed, isObject, 'interceptors');
  const ofV1 = listOf(valueOf(named, 'vclusters'), isText, 'virtual clusters');
  const clusters = new Set(['passthrough', ...ofV1, ...known]);
  for (const { vcluster } of interceptors) if (typeof vcluster === 'string') clusters.add(vcluster);
  const found = await inTurn([...clusters], (cluster) => readCluster(cluster, source));
  return {
    clusters: [...new Set([...ofV1, ...known])],
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
  const at = `vcluster/${encodedName(vcluster)}`;
  const mapped = `/admin/userMappings/v1/${at}` as const;
  const usernames = listOf(await source.readV1(mapped), isText, 'user mappings');
  const mappings = await inTurn(usernames, async (username) => {
    const shown = await source.readV1(`${mapped}/username/${encodedName(username)}`);
    return { vcluster, username, shown };
  });
  const topics = await source.readV1(`/admin/vclusters/v1/${at}/topics`);
  const rules = await source.readV1(`/admin/vclusters/v1/${at}/concentration-rules`);
  const placed = (one: JsonObject): JsonObject => ({ ...one, vcluster });
  return {
    mappings,
    topics: listOf(topics, isObject, 'topic mappings').map(placed),
    rules: listOf(rules, isObject, 'concentration rules').map(placed),
  };
}

function encodedName(name: string): string {
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

function listOf<T extends Json>(
  value: Json | undefined,
  is: (item: Json) => item is T,
  what: string,
): readonly T[] {
  if (value === undefined) return [];
  return isList(value) && value.every(is) ? value : fail(what);
}

function isText(item: Json): item is string {
  return typeof item === 'string';
}

function fail(what: string): never {
  throw new GatewayError(
    'not-understood',
    `v1 of the gateway answers with something else than a list of ${what}`,
    { hint: 'check that --url is the admin API of a gateway, and any proxy in between' },
  );
}

type CallParts = Pick<Call, 'method' | 'path' | 'body' | 'object'>;

/**
 * The calls that would make what is on a gateway: those of v2 for what v2 lists, and those of v1 for the rest. `resources` are
 * undefined if the gateway has no v2. Their `line` is 0.
 */
export function callsOf(
  gateway: string,
  v1: V1State,
  resources: readonly Resource[] | undefined,
): readonly (Call | UnreadCall)[] {
  const made =
    resources === undefined
      ? [
          ...v1.clusters.filter((name) => name !== 'passthrough').map(callOfCluster),
          ...v1.mappings.map(callOfMapping),
          ...callsOfTopics(v1),
          ...v1.rules.map(callOfRule),
          ...v1.interceptors.map(callOfInterceptor),
        ]
      : [...callsOfResources(resources, v1), ...callsOfTopics(v1)];
  return made.map((parts) => {
    const call = { file: gateway, line: 0, gateway, query: {}, ...parts };
    // What stands for a variable in a script would be one that the gateway chooses.
    if (hasReserved(`${decodeURIComponent(call.path)} ${JSON.stringify(call.body ?? null)}`))
      return { ...call, why: RESERVED };
    return call.body === undefined ? { ...call, why: 'v1 lists it, and does not show it' } : call;
  });
}

/** v1 makes a virtual cluster by what is in it. */
function callOfCluster(name: string): CallParts {
  const { apiVersion, name: kind, collection: path } = virtualCluster;
  const body = { apiVersion, kind, metadata: { name }, spec: {} };
  return { method: 'PUT', path, body, object: identify(virtualCluster, asValid(body)) };
}

/** In the order of kinds, so that what others refer to comes first. Alias topics are read through v1, which has readOnly. */
function callsOfResources(resources: readonly Resource[], { topics }: V1State): readonly CallParts[] {
  const known = new Set(
    topics.map((topic) => `${textUnder(topic, 'vcluster')}/${textUnder(topic, 'logicalTopicName')}`),
  );
  const byKind = groupBy(resources, ({ kind }) => kind);
  return [...catalog.kinds.values()]
    .filter(({ removal }) => removal !== undefined)
    .flatMap((kind) =>
      (byKind.get(kind.name) ?? [])
        .filter((one) => kind.name !== aliasTopic.name || !known.has(placeOf(one)))
        .map((body) => ({ method: 'PUT', path: kind.collection, body, object: identify(kind, body) })),
    );
}

function placeOf({ metadata }: Resource): string {
  return `${textUnder(metadata, 'vCluster') || 'passthrough'}/${metadata.name}`;
}

function callOfMapping({ vcluster, username, shown }: Mapping): CallParts {
  const path = `/admin/userMappings/v1/vcluster/${segment(vcluster)}/username/${segment(username)}`;
  if (!isObject(shown)) return { method: 'PUT', path, body: undefined };
  const { vcluster: _, ...body } = shown;
  return { method: 'PUT', path, body: { username, ...body } };
}

/** A concentrated topic whose physical topic is one of a rule is what the rule made. */
function callsOfTopics({ topics, rules }: V1State): readonly CallParts[] {
  const physicalAt = (one: JsonObject, key: string): string =>
    `${textUnder(one, 'vcluster')}/${textUnder(one, key)}`;
  const ofRules = new Set(
    ['physicalTopicName', 'physicalTopicCompactedName', 'physicalTopicCompactedDeletedName'].flatMap((key) =>
      rules.filter((rule) => textUnder(rule, key) !== '').map((rule) => physicalAt(rule, key)),
    ),
  );
  return topics
    .filter(
      (topic) =>
        textUnder(topic, 'type').toUpperCase() !== 'CONCENTRATED' ||
        !ofRules.has(physicalAt(topic, 'physicalTopicName')),
    )
    .map(({ vcluster, logicalTopicName, ...body }) => ({
      method: 'POST',
      path: `/admin/vclusters/v1/vcluster/${segment(vcluster)}/topics/${segment(logicalTopicName)}`,
      body,
    }));
}

function callOfRule({ vcluster, ...body }: JsonObject): CallParts {
  const path = `/admin/vclusters/v1/vcluster/${segment(vcluster)}/concentration-rules`;
  return { method: 'POST', path, body };
}

/** gateway-api C.7: an item of the list of all has its scope in fields. */
function callOfInterceptor({ vcluster, group, username, name, ...body }: JsonObject): CallParts {
  const scope = Object.entries({ vcluster, group, username })
    .map(([axis, value]) => ((value ?? null) === null ? '' : `/${axis}/${segment(value)}`))
    .join('');
  const path = `/admin/interceptors/v1${scope || '/global'}/interceptor/${segment(name)}`;
  return { method: 'PUT', path, body };
}

/** Of a name that no path can have, nothing is left, which no route takes. */
function segment(value: Json | undefined): string {
  return typeof value === 'string' && fitsInPath(value) ? encodeURIComponent(value) : '';
}
