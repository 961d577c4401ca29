import { isObject, valueAt, type Json, type JsonObject } from '../../model/json/json.ts';
import { addressOf } from '../../model/kind.ts';
import type { Resource } from '../../model/resource.ts';
import type { Operation, RouteRequest } from '../../emulator/api/route.ts';
import { formatValue, makeOk, Refusal, withoutNulls, ROLES } from '../../emulator/responses.ts';
import type { State } from '../../emulator/embedded-state.ts';
import {
  clusterIn,
  define,
  dropUnmentioned,
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

/** gateway-api C.5. The key of a rule is its pattern; what v2 shows as the name of a rule of v1 is the pattern, too. */
export function makeConcentrationRules(state: State): readonly Operation[] {
  const path = '/admin/vclusters/v1/vcluster/{vcluster}/concentration-rules';
  return [
    define('POST', path, ({ params, body }) => postRule(params, body, state), { body: { check } }),
    define('GET', path, ({ params }) =>
      makeOk(listIn(clusterIn(params), 'concentrationRule', state).map((rule) => show(rule, state))),
    ),
    define('DELETE', path, ({ params, query }) => deleteRules(clusterIn(params), query['pattern'], state), {
      query: { pattern: 'string' },
    }),
  ];
}

const check = object(['pattern', 'physicalTopicName'], {
  clusterId: textOrNull,
  pattern: text,
  physicalTopicName: text,
  physicalTopicCompactedName: textOrNull,
  physicalTopicCompactedDeletedName: textOrNull,
  autoManaged: flagOrNull,
});

/** The fields of v1, and those of v2 that they are. */
const TOPICS = {
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
    Object.entries(TOPICS).flatMap(([field, policy]) => {
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

function show(rule: Resource, { store }: State): JsonObject {
  const { name, vCluster } = rule.metadata;
  const { clusterId = 'main' } = store.v1Fields(
    addressOf(ROLES.concentrationRule, name, { vCluster: formatValue(vCluster) }),
  );
  const topics = Object.entries(TOPICS).flatMap(([field, policy]) => {
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
