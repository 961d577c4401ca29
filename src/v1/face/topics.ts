import { type Json, type JsonObject, asMap, isObject, valueAt } from '../../model/json/json.ts';
import { addressOf } from '../../model/kind.ts';
import type { Resource } from '../../model/resource.ts';
import { atLeast } from '../../model/text/version.ts';
import type { Operation, RouteRequest } from '../../emulator/api/route.ts';
import { formatValue, makeOk, Refusal, ROLES, withoutNulls } from '../../emulator/responses.ts';
import type { State } from '../../emulator/embedded-state.ts';
import {
  clusterIn,
  define,
  dropUnmentioned,
  flag,
  flagOrNull,
  listIn,
  messages,
  object,
  putAs,
  removeAs,
  text,
  textOrNull,
  withMentioned,
} from './operation.ts';

type Params = RouteRequest['params'];
type Role = 'aliasTopic' | 'concentratedTopic';
const ROLES_OF_TYPES: Readonly<Record<string, Role>> = {
  ALIAS: 'aliasTopic',
  CONCENTRATED: 'concentratedTopic',
};

/** gateway-api C.4: the alias topics and concentrated topics of a virtual cluster. */
export function makeTopics(state: State): readonly Operation[] {
  const all = '/admin/vclusters/v1/vcluster/{vcluster}/topics';
  const one = `${all}/{logicalTopicName}`;
  return [
    define('GET', all, ({ params }) =>
      makeOk(list(clusterIn(params), state).map((topic) => show(topic, state))),
    ),
    define('DELETE', all, ({ params }) => remove(list(clusterIn(params), state), clusterIn(params), state)),
    define('POST', one, ({ params, body }) => postTopic(params, body, state), {
      body: { check: atLeast(state.version, '3.0.0') ? check : checkIn2 },
    }),
    define('DELETE', one, ({ params }) => {
      const topic = find(clusterIn(params), nameIn(params), state);
      if (topic === undefined) throw new Refusal(404, messages.noTopic(nameIn(params)));
      return remove([topic], clusterIn(params), state);
    }),
    define(
      'POST',
      '/internal/alias-topic/{vcluster}/{logicalTopicName}',
      ({ params, body }) => postAlias(params, body, state),
      { body: { check: object(['physicalTopicName'], { clusterId: textOrNull, physicalTopicName: text }) } },
    ),
  ];
}

const common = { physicalTopicName: text, readOnly: flag };
const check = object(['physicalTopicName', 'readOnly', 'type'], {
  ...common,
  type: {
    type: 'string',
    pattern: '^([aA][lL][iI][aA][sS]|[cC][oO][nN][cC][eE][nN][tT][rR][aA][tT][eE][dD])$',
  },
  autoManaged: flagOrNull,
});
const checkIn2 = object(['physicalTopicName', 'readOnly', 'concentrated'], { ...common, concentrated: flag });

/** A mapping as v1 has it: with what v2 has no field for. */
type Topic = { readonly role: Role; readonly resource: Resource };

function postTopic(params: Params, body: Json | undefined, state: State) {
  const { physicalTopicName, readOnly, type, concentrated, autoManaged } = asMap(body);
  const role =
    concentrated === true
      ? 'concentratedTopic'
      : (ROLES_OF_TYPES[formatValue(type).toUpperCase()] ?? 'aliasTopic');
  const physicalName = formatValue(physicalTopicName);
  checkPhysical(physicalName, autoManaged === true, state);
  const topic = put(role, params, { physicalName }, state);
  const fields = { readOnly: readOnly === true, ...(autoManaged === true ? { autoManaged } : {}) };
  const address = addressOf(ROLES[role], nameIn(params), { vCluster: clusterIn(params) });
  state.store.setV1Fields(address, fields);
  return { status: 201, body: show(topic, state) };
}

function postAlias(params: Params, body: Json | undefined, state: State) {
  const { physicalTopicName, clusterId } = asMap(body);
  const physicalName = formatValue(physicalTopicName);
  checkPhysical(physicalName, false, state);
  put('aliasTopic', params, { physicalName, physicalCluster: clusterId ?? 'main' }, state);
  return { status: 201, body: { message: messages.created(nameIn(params)) } };
}

function put(role: Role, params: Params, spec: JsonObject, state: State): Topic {
  const [vCluster, name] = [clusterIn(params), nameIn(params)];
  const before = find(vCluster, name, state);
  if (before !== undefined) {
    if (before.resource.spec['physicalName'] !== spec['physicalName'])
      throw new Refusal(409, messages.physicalNameFixed);
    if (before.role !== role) throw new Refusal(409, messages.typeFixed);
  }
  const resource = withMentioned({ vCluster }, state, () =>
    putAs(role, { name, vCluster }, { ...before?.resource.spec, ...spec }, state),
  );
  return { role, resource };
}

/** Throws a Refusal 400 for a physical topic that Kafka does not have. */
function checkPhysical(name: string, autoManaged: boolean, { options: { topics } }: State): void {
  if (topics === undefined || topics.has(name) || autoManaged) return;
  throw new Refusal(400, messages.noPhysicalTopic(name));
}

/** Throws a Refusal 404 if there is none. */
function list(vCluster: string, state: State): readonly Topic[] {
  const topics = Object.values(ROLES_OF_TYPES).flatMap((role) =>
    listIn(vCluster, role, state).map((resource) => ({ role, resource })),
  );
  if (topics.length === 0) throw new Refusal(404, messages.noTopics(vCluster));
  return topics;
}

function find(vCluster: string, name: string, { store }: State): Topic | undefined {
  for (const role of Object.values(ROLES_OF_TYPES)) {
    const resource = store.get(addressOf(ROLES[role], name, { vCluster }));
    if (resource !== undefined) return { role, resource };
  }
  return undefined;
}

function show({ role, resource: { metadata, spec } }: Topic, { store }: State): JsonObject {
  const { name, vCluster = 'passthrough' } = metadata;
  const { readOnly = false } = store.v1Fields(
    addressOf(ROLES[role], name, { vCluster: formatValue(vCluster) }),
  );
  const [type = ''] = Object.entries(ROLES_OF_TYPES).find(([, one]) => one === role) ?? [];
  return {
    logicalTopicName: name,
    clusterId: spec['physicalCluster'] ?? 'main',
    physicalTopicName: spec['physicalName'] ?? '',
    readOnly,
    type,
  };
}

function remove(topics: readonly Topic[], vCluster: string, state: State) {
  for (const { role, resource } of topics) removeAs(role, resource, state);
  dropUnmentioned({ vCluster }, state);
  return { status: 204 };
}

function nameIn(params: Params): string {
  return params['logicalTopicName'] ?? '';
}

/** gateway-api C.5. The key of a rule is its pattern; what v2 shows as the name of a rule of v1 is the pattern, too. */
export function makeConcentrationRules(state: State): readonly Operation[] {
  const path = '/admin/vclusters/v1/vcluster/{vcluster}/concentration-rules';
  return [
    define('POST', path, ({ params, body }) => postRule(params, body, state), { body: { check: ruleCheck } }),
    define('GET', path, ({ params }) =>
      makeOk(listIn(clusterIn(params), 'concentrationRule', state).map((rule) => showRule(rule, state))),
    ),
    define('DELETE', path, ({ params, query }) => deleteRules(clusterIn(params), query['pattern'], state), {
      query: { pattern: 'string' },
    }),
  ];
}

const ruleCheck = object(['pattern', 'physicalTopicName'], {
  clusterId: textOrNull,
  pattern: text,
  physicalTopicName: text,
  physicalTopicCompactedName: textOrNull,
  physicalTopicCompactedDeletedName: textOrNull,
  autoManaged: flagOrNull,
});

/** The fields of v1, and those of v2 that they are. */
const TOPICS_OF_RULES = {
  physicalTopicName: 'delete',
  physicalTopicCompactedName: 'compact',
  physicalTopicCompactedDeletedName: 'deleteCompact',
} as const;

function postRule(params: RouteRequest['params'], body: Json | undefined, state: State) {
  const vCluster = clusterIn(params);
  const {
    pattern = '',
    clusterId = 'main',
    autoManaged = false,
    ...topics
  } = withoutNulls(isObject(body) ? body : {});
  const rules = listIn(vCluster, 'concentrationRule', state);
  const before = rules.find(({ spec }) => spec['pattern'] === pattern);
  const physicalTopics = Object.fromEntries(
    Object.entries(TOPICS_OF_RULES).flatMap(([field, policy]) => {
      const name = topics[field];
      return name === undefined ? [] : [[policy, name]];
    }),
  );
  const name = before?.metadata.name ?? freeName(formatValue(pattern), vCluster, state);
  const spec = { ...before?.spec, pattern, physicalTopics, autoManaged };
  withMentioned({ vCluster }, state, () => putAs('concentrationRule', { name, vCluster }, spec, state));
  state.store.setV1Fields(addressOf(ROLES.concentrationRule, name, { vCluster }), { clusterId });
  // The recorded answer has no other field, whatever was sent.
  return { status: 201, body: { clusterId, pattern, physicalTopicName: topics['physicalTopicName'] ?? '' } };
}

/** The pattern, unless v2 has given that name to a rule with another one. */
function freeName(pattern: string, vCluster: string, { store }: State): string {
  const isTaken = (name: string): boolean =>
    store.get(addressOf(ROLES.concentrationRule, name, { vCluster })) !== undefined;
  let name = pattern;
  for (let number = 2; isTaken(name); number += 1) name = `${pattern}-${number}`;
  return name;
}

function showRule(rule: Resource, { store }: State): JsonObject {
  const { name, vCluster } = rule.metadata;
  const { clusterId = 'main' } = store.v1Fields(
    addressOf(ROLES.concentrationRule, name, { vCluster: formatValue(vCluster) }),
  );
  const topics = Object.entries(TOPICS_OF_RULES).flatMap(([field, policy]) => {
    const topic = valueAt(rule.spec, `/physicalTopics/${policy}`);
    return topic === undefined ? [] : [[field, topic] as const];
  });
  return {
    clusterId,
    pattern: rule.spec['pattern'] ?? '',
    ...Object.fromEntries(topics),
    ...(rule.spec['autoManaged'] === true ? { autoManaged: true } : {}),
  };
}

/** Without a pattern, all rules of the virtual cluster. */
function deleteRules(vCluster: string, pattern: string | undefined, state: State) {
  const rules = listIn(vCluster, 'concentrationRule', state).filter(
    ({ spec }) => pattern === undefined || spec['pattern'] === pattern,
  );
  if (rules.length === 0) throw new Refusal(404, messages.noRule);
  for (const rule of rules) removeAs('concentrationRule', rule, state);
  dropUnmentioned({ vCluster }, state);
  return { status: 204 };
}
