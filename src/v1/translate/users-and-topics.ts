import { present } from '../../model/collect.ts';
import { valueOf, type Json, type JsonObject } from '../../model/json/json.ts';
import { topicName } from '../../schema/kinds/common.ts';
import {
  BadBody,
  flagIn,
  neededText,
  nameIn,
  objectIn,
  otherKeys,
  textIn,
  namesIn,
  refusePlaceholders,
} from './body.ts';
import { patternOf } from './names.ts';
import {
  accountAt,
  groupAt,
  hold,
  keyOf,
  mention,
  putRuleAt,
  putTopicAt,
  rulesIn,
  take,
  tellDeleted,
  topicsIn,
  type Account,
  type Handler,
  type Request,
  type State,
  type Topic,
} from './v1-state.ts';

const TOPIC = patternOf(topicName);

const KEYS = [
  'physicalTopicName',
  'readOnly',
  'type',
  'concentrated',
  'autoManaged',
  'logicalTopicName',
  'clusterId',
];

/** gateway-api C.4: a topic mapping, with `type` or, in 2.x, `concentrated`. */
export const putTopic: Handler = (request, state) => {
  const { params, body, tell } = request;
  const { vCluster = 'passthrough', topic: name = '' } = params;
  const mapping = objectIn(body);
  const autoManaged = flagIn(mapping, 'autoManaged');
  tellOthers(otherKeys(mapping, KEYS), tell);
  if (!TOPIC.test(name)) {
    putPattern(name, mapping, request, state);
    return;
  }
  const made: Topic = {
    physicalName: nameIn(mapping, 'physicalTopicName'),
    ...((textIn(mapping, 'clusterId') ?? 'main') === 'main'
      ? {}
      : { physicalCluster: nameIn(mapping, 'clusterId') }),
    isConcentrated: isConcentrated(mapping),
    isReadOnly: flagIn(mapping, 'readOnly') === true,
    ...present({ autoManaged }),
  };
  const before = state.topics.get(vCluster)?.get(name);
  if (before !== undefined && before.value.physicalName !== made.physicalName)
    tell(
      'choice',
      'v1 refuses to change the physical topic of a mapping (409); this call is taken, not the one before',
    );
  putTopicAt(vCluster, name, made, request, state);
};

/** In 2.x, a mapping of concentrated topics whose name is a pattern was what a concentration rule is now. */
function putPattern(pattern: string, mapping: JsonObject, request: Request, state: State): void {
  if (!isPattern(pattern)) throw new BadBody('Kafka has no topic of that name');
  if (!isConcentrated(mapping))
    throw new BadBody('it maps topics by a pattern, and an alias of v2 is for one topic');
  if (flagIn(mapping, 'readOnly') === true)
    request.tell('choice', 'left out: readOnly, which a concentration rule does not have');
  const spec = {
    pattern,
    physicalTopics: { delete: nameIn(mapping, 'physicalTopicName') },
    ...(flagIn(mapping, 'autoManaged') === true ? { autoManaged: true } : {}),
  };
  putRuleAt(request.params['vCluster'] ?? 'passthrough', { pattern, spec }, request, state);
}

function isPattern(name: string): boolean {
  return /[*+?()[\]|\\]/.test(name);
}

function isConcentrated(mapping: JsonObject): boolean {
  const type = textIn(mapping, 'type')?.toUpperCase();
  if (type === undefined) return flagIn(mapping, 'concentrated') === true;
  if (type === 'CONCENTRATED' || type === 'ALIAS') return type === 'CONCENTRATED';
  throw new BadBody('its type is neither alias nor concentrated');
}

export const deleteTopic: Handler = (request, state) => {
  const { vCluster = 'passthrough', topic = '' } = request.params;
  if (isPattern(topic)) deleteRules({ ...request, query: { pattern: topic } }, state);
  else tellDeleted(take(topicsIn(state, vCluster), topic), `the topic mapping ${topic}`, request, state);
};

export const deleteTopics: Handler = (request, state) => {
  const { vCluster = 'passthrough' } = request.params;
  const topics = topicsIn(state, vCluster);
  const held = topics.size === 0 ? [undefined] : topics.values();
  for (const one of held) tellDeleted(one, `a topic mapping in ${vCluster}`, request, state);
  topics.clear();
};

/** The physical topics of a concentration rule of v1, and what v2 calls them. */
export const RULE_KEYS = {
  physicalTopicName: 'delete',
  physicalTopicCompactedName: 'compact',
  physicalTopicCompactedDeletedName: 'deleteCompact',
} as const;

/** gateway-api C.5: the pattern is the key of a rule. */
export const putRule: Handler = (request, state) => {
  const { params, body, tell } = request;
  const rule = objectIn(body);
  const pattern = neededText(rule, 'pattern');
  const physicalTopics: Record<string, Json> = {};
  for (const [from, to] of Object.entries(RULE_KEYS))
    if (to === 'delete' || valueOf(rule, from) !== undefined) physicalTopics[to] = nameIn(rule, from);
  const autoManaged = flagIn(rule, 'autoManaged');
  if ((textIn(rule, 'clusterId') ?? 'main') !== 'main')
    tell('choice', 'left out: clusterId, which a concentration rule of v2 does not have');
  tellOthers(otherKeys(rule, [...Object.keys(RULE_KEYS), 'clusterId', 'pattern', 'autoManaged']), tell);
  const spec = { pattern, physicalTopics, ...(autoManaged === true ? { autoManaged } : {}) };
  putRuleAt(params['vCluster'] ?? 'passthrough', { pattern, spec }, request, state);
};

/** Without a pattern, it deletes all rules of the virtual cluster. */
export const deleteRules: Handler = (request, state) => {
  const { vCluster = 'passthrough' } = request.params;
  const { pattern } = request.query;
  const rules = rulesIn(state, vCluster);
  const keys = pattern === undefined ? [...rules.keys()] : [keyOf(null, pattern)];
  const held = keys.flatMap((key) => take(rules, key) ?? []);
  for (const one of held.length === 0 ? [undefined] : held)
    tellDeleted(one, `such a concentration rule in ${vCluster}`, request, state);
};

/** gateway-api C.2: a mapping is an EXTERNAL account, and makes it a member of groups. */
export const putMapping: Handler = (request, state) => {
  const { call, params, body, tell } = request;
  const mapping = objectIn(body);
  const { vCluster = 'passthrough' } = params;
  const name = params['username'] ?? nameIn(mapping, 'username');
  const identity = textIn(mapping, 'principal') ?? name;
  if (identity === '') throw new BadBody('its principal is empty');
  const groups = [...new Set(namesIn(mapping, 'groups'))];
  tellOthers(otherKeys(mapping, ['username', 'principal', 'groups', 'vcluster']), tell);
  mention(state, vCluster, request);
  const account = accountAt(state, vCluster, name);
  leaveGroups(account, state);
  account.external = hold(account.external, { identity, groups }, request, state);
  const key = keyOf(vCluster, name);
  for (const group of groups) groupAt(state, group).members.set(key, { account, by: [call] });
  if (vCluster === 'passthrough' && groups.length === 0 && identity === name)
    tell(
      'choice',
      'declared as an EXTERNAL account; a gateway with delegated authentication or mTLS does not need it',
    );
};

export const deleteMapping: Handler = (request, state) => {
  const { vCluster = 'passthrough', username = '' } = request.params;
  const account = state.accounts.get(keyOf(vCluster, username));
  tellDeleted(account?.external, `the user mapping ${username}`, request, state);
  if (account === undefined) return;
  leaveGroups(account, state);
  account.external = undefined;
};

function leaveGroups({ vCluster, name, external }: Account, { groups }: State): void {
  for (const group of external?.value.groups ?? []) groups.get(group)?.members.delete(keyOf(vCluster, name));
}

/** gateway-api C.3: a token creates the account, and the virtual cluster. */
export const issueToken: Handler = (request, state) => {
  const { call, params, body } = request;
  const { vCluster = 'passthrough', username = '' } = params;
  const seconds = valueOf(body, 'lifeTimeSeconds');
  if (typeof seconds === 'string') refusePlaceholders(seconds, 'lifeTimeSeconds');
  mention(state, vCluster, request);
  const local = (accountAt(state, vCluster, username).local ??= { value: undefined, by: [] });
  local.value = typeof seconds === 'number' && Number.isInteger(seconds) ? seconds : undefined;
  local.by.push(call);
};

/** What v2 has no field for. */
export function tellOthers(keys: readonly string[], tell: (note: 'choice', text: string) => void): void {
  if (keys.length > 0) tell('choice', `left out: ${keys.slice(0, 5).join(', ')}, which v2 does not have`);
}
