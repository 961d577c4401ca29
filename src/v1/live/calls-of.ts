import { addTo } from '../../model/collect.ts';
import { identify } from '../../model/identity.ts';
import { valueOf, type Json, type JsonObject } from '../../model/json/json.ts';
import { fitsInPath, type Resource } from '../../model/resource.ts';
import { aliasTopic } from '../../schema/kinds/alias-topic.ts';
import { catalog } from '../../schema/kinds/index.ts';
import type { Call } from '../read/call.ts';

/** Objects as v1 lists them, each with its virtual cluster as `vcluster`. */
export type ListedV1 = {
  readonly clusters: readonly string[];
  readonly interceptors: readonly JsonObject[];
  readonly mappings: readonly JsonObject[];
  readonly topics: readonly JsonObject[];
  readonly rules: readonly JsonObject[];
};

type Made = Pick<Call, 'method' | 'path' | 'body' | 'object'>;

/**
 * The calls that would make what is on a gateway: those of v2 for what v2 lists, and those of v1 for the rest. `resources` are
 * undefined if the gateway has no v2. Their `line` is 0.
 */
export function callsOf(
  gateway: string,
  v1: ListedV1,
  resources: readonly Resource[] | undefined,
): readonly Call[] {
  const made =
    resources === undefined
      ? [
          ...v1.mappings.map(callOfMapping),
          ...callsOfTopics(v1),
          ...v1.rules.map(callOfRule),
          ...v1.interceptors.map(callOfInterceptor),
        ]
      : [...callsOfResources(resources, v1), ...callsOfTopics(v1)];
  return made.map((call) => ({ file: gateway, line: 0, gateway, query: {}, ...call }));
}

/** In the order of kinds, so that what others refer to comes first. Alias topics are read through v1, which has readOnly. */
function callsOfResources(resources: readonly Resource[], { topics }: ListedV1): readonly Made[] {
  const known = new Set(
    topics.map((topic) => `${textOf(topic, 'vcluster')}/${textOf(topic, 'logicalTopicName')}`),
  );
  const byKind = new Map<string, Resource[]>();
  for (const resource of resources) addTo(byKind, resource.kind, resource);
  return [...catalog.kinds.values()]
    .filter(({ removal }) => removal !== undefined)
    .flatMap((kind) =>
      (byKind.get(kind.name) ?? [])
        .filter((one) => kind.name !== aliasTopic.name || !known.has(placeOf(one)))
        .map((body): Made => ({ method: 'PUT', path: kind.collection, body, object: identify(kind, body) })),
    );
}

function placeOf({ metadata }: Resource): string {
  return `${textOf(metadata, 'vCluster') || 'passthrough'}/${metadata.name}`;
}

function callOfMapping(mapping: JsonObject): Made {
  const { vcluster, username, ...body } = mapping;
  const path = `/admin/userMappings/v1/vcluster/${segment(vcluster)}/username/${segment(username)}`;
  return { method: 'PUT', path, body: { username: username ?? null, ...body } };
}

/** A concentrated topic whose physical topic is one of a rule is what the rule made. */
function callsOfTopics({ topics, rules }: ListedV1): readonly Made[] {
  const physical = new Set(
    rules.flatMap((rule) =>
      ['physicalTopicName', 'physicalTopicCompactedName', 'physicalTopicCompactedDeletedName'].flatMap(
        (key) => {
          const name = textOf(rule, key);
          return name === '' ? [] : [`${textOf(rule, 'vcluster')}/${name}`];
        },
      ),
    ),
  );
  return topics
    .filter((topic) => {
      const isConcentrated = textOf(topic, 'type').toUpperCase() === 'CONCENTRATED';
      return (
        !isConcentrated || !physical.has(`${textOf(topic, 'vcluster')}/${textOf(topic, 'physicalTopicName')}`)
      );
    })
    .map(({ vcluster, logicalTopicName, ...body }) => ({
      method: 'POST',
      path: `/admin/vclusters/v1/vcluster/${segment(vcluster)}/topics/${segment(logicalTopicName)}`,
      body,
    }));
}

function callOfRule({ vcluster, ...body }: JsonObject): Made {
  return {
    method: 'POST',
    path: `/admin/vclusters/v1/vcluster/${segment(vcluster)}/concentration-rules`,
    body,
  };
}

/** gateway-api C.7: an item of the list of all has its scope in fields. */
function callOfInterceptor({ vcluster, group, username, name, ...body }: JsonObject): Made {
  const isGlobal = [vcluster, group, username].every((axis) => (axis ?? null) === null);
  const axes = [
    ['vcluster', vcluster],
    ['group', group],
    ['username', username],
  ] as const;
  const scope = axes
    .map(([axis, value]) => ((value ?? null) === null ? '' : `/${axis}/${segment(value)}`))
    .join('');
  const path = `/admin/interceptors/v1${isGlobal ? '/global' : scope}/interceptor/${segment(name)}`;
  return { method: 'PUT', path, body };
}

/** Of a name that no path can have, nothing is left, which no route takes. */
function segment(value: Json | undefined): string {
  return typeof value === 'string' && fitsInPath(value) ? encodeURIComponent(value) : '';
}

function textOf(value: Json, key: string): string {
  const found = valueOf(value, key);
  return typeof found === 'string' ? found : '';
}
