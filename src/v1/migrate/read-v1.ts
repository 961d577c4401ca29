import { GatewayError, type GatewayOperations } from '../../gateway/gateway.ts';
import { getOrAdd, groupBy } from '../../model/collect.ts';
import { identify } from '../../model/identity.ts';
import { isList, isObject, textUnder, valueOf, type Json, type JsonObject } from '../../model/json/json.ts';
import { compileRegex, type Regex } from '../../model/regex/match-regex.ts';
import { asValid, fitsInPath, type Resource } from '../../model/resource.ts';
import { aliasTopic } from '../../schema/kinds/alias-topic.ts';
import { catalog } from '../../schema/kinds/index.ts';
import { virtualCluster } from '../../schema/kinds/virtual-cluster.ts';
import { RESERVED, type Call, type UnreadCall } from '../read/request.ts';
import { hasReserved } from '../read/unknown.ts';
import { RULE_KEYS } from '../translate/users-and-topics.ts';

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
 * neither LOCAL accounts nor, before 3.2.0, virtual clusters without topics. `isAlone` if nothing else is read of the gateway: each
 * list has to be there then, since what denies one looks like a gateway without it. Rejects with a GatewayError.
 */
export async function readV1(
  source: Source,
  known: readonly string[],
  isAlone = false,
): Promise<V1State | undefined> {
  const root = '/admin/interceptors/v1';
  const listed = (await source.readV1(`${root}/all`)) ?? (await source.readV1(`${root}/interceptors`));
  const named = await source.readV1('/admin/vclusters/v1');
  if (listed === undefined && named === undefined) return undefined;
  if (isAlone) {
    const lists = {
      interceptors: listed,
      'virtual clusters': named,
      'user mappings': await source.readV1('/admin/userMappings/v1'),
    };
    for (const [what, list] of Object.entries(lists)) if (list === undefined) throw denied(what);
  }
  const interceptors = listOf(valueOf(listed, 'interceptors') ?? listed, isObject, 'interceptors');
  const ofV1 = listOf(valueOf(named, 'vclusters') ?? named, isText, 'virtual clusters');
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
    return { vcluster, username, shown: isOf({ vcluster, username }, shown) ? shown : undefined };
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

/** What is between may answer with what it keeps of another call. */
function isOf(
  asked: { readonly vcluster: string; readonly username: string },
  shown: Json | undefined,
): boolean {
  return Object.entries(asked).every(([key, value]) => (valueOf(shown, key) ?? value) === value);
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
  const message = `v1 of the gateway answers with something else than a list of ${what}`;
  throw new GatewayError('not-understood', message, { hint: CHECK });
}

function denied(what: string): GatewayError {
  const message = `v1 of the gateway has no list of ${what} (404), and has others`;
  return new GatewayError('not-understood', message, { hint: CHECK });
}

const CHECK = 'check that --url is the admin API of a gateway, and any proxy in between';

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
function callsOfResources(resources: readonly Resource[], v1: V1State): readonly CallParts[] {
  const isShown = shownIn(v1);
  const byKind = groupBy(resources, ({ kind }) => kind);
  return [...catalog.kinds.values()]
    .filter(({ removal }) => removal !== undefined)
    .flatMap((kind) =>
      (byKind.get(kind.name) ?? [])
        .filter((one) => kind.name !== aliasTopic.name || !isShown(one))
        .map((body) => ({ method: 'PUT', path: kind.collection, body, object: identify(kind, body) })),
    );
}

/** Tells which alias and concentrated topics of v2 are among the topic mappings of v1. */
export function shownIn({ topics }: V1State): (topic: Resource) => boolean {
  const shown = new Set(
    topics.map((topic) => `${textUnder(topic, 'vcluster')}/${textUnder(topic, 'logicalTopicName')}`),
  );
  return (topic) => shown.has(placeOf(topic));
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

function callsOfTopics({ topics, rules }: V1State): readonly CallParts[] {
  const isMade = findMade(rules);
  return topics
    .filter((topic) => !isMade(topic))
    .map(({ vcluster, logicalTopicName, ...body }) => ({
      method: 'POST',
      path: `/admin/vclusters/v1/vcluster/${segment(vcluster)}/topics/${segment(logicalTopicName)}`,
      body,
    }));
}

/**
 * Tells which topics come from a rule, and so again from the rule alone: those in a physical topic of it, whose name it matches, and
 * that clients may write. Others were mapped by hand, or by a rule that was another one then.
 */
function findMade(rules: readonly JsonObject[]): (topic: JsonObject) => boolean {
  const placeIn = (one: JsonObject, key: string): string =>
    `${textUnder(one, 'vcluster')}/${textUnder(one, key)}`;
  const patterns = new Map<string, Regex[]>();
  for (const rule of rules) {
    const regex = compileRegex(textUnder(rule, 'pattern'));
    if ('unjudged' in regex) continue;
    for (const key of Object.keys(RULE_KEYS))
      if (textUnder(rule, key) !== '') getOrAdd(patterns, placeIn(rule, key), () => []).push(regex);
  }
  return (topic) =>
    textUnder(topic, 'type').toUpperCase() === 'CONCENTRATED' &&
    topic['readOnly'] !== true &&
    (patterns.get(placeIn(topic, 'physicalTopicName')) ?? []).some(
      ({ matches }) => matches(textUnder(topic, 'logicalTopicName')) === true,
    );
}

/** A concentrated topic as v1 lists it. */
export function mappingOf({ metadata, spec }: Resource): JsonObject {
  const { name, vCluster = 'passthrough' } = metadata;
  const { physicalName = null } = spec;
  return {
    vcluster: vCluster,
    logicalTopicName: name,
    physicalTopicName: physicalName,
    type: 'CONCENTRATED',
  };
}

/** A concentration rule as v1 lists it. */
export function ruleOf({ metadata: { vCluster = 'passthrough' }, spec }: Resource): JsonObject {
  const { pattern = null, physicalTopics } = spec;
  const physical = Object.entries(RULE_KEYS).map(
    ([key, today]) => [key, textUnder(physicalTopics, today)] as const,
  );
  return { vcluster: vCluster, pattern, ...Object.fromEntries(physical) };
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
