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
  hold,
  keyOf,
  mention,
  release,
  tellAbsent,
  within,
  type Handler,
  type Topic,
  accountAt,
  groupAt,
  type Account,
  type State,
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
export const putTopic: Handler = ({ call, params, body, tell }, state) => {
  const { vCluster = 'passthrough', topic: name = '' } = params;
  const mapping = objectIn(body);
  const autoManaged = flagIn(mapping, 'autoManaged');
  tellOthers(otherKeys(mapping, KEYS), tell);
  if (!TOPIC.test(name)) {
    putPattern(name, mapping, { call, tell, vCluster }, state);
    return;
  }
  const made: Topic = {
    physicalName: nameIn(mapping, 'physicalTopicName'),
    ...clusterOf(mapping),
    isConcentrated: isConcentrated(mapping),
    isReadOnly: flagIn(mapping, 'readOnly') === true,
    ...(autoManaged === undefined ? {} : { autoManaged }),
  };
  mention(state, vCluster, call);
  const topics = within(state.topics, vCluster);
  const before = topics.get(name);
  if (before !== undefined && before.value.physicalName !== made.physicalName)
    tell(
      'choice',
      'v1 refuses to change the physical topic of a mapping (409); this call is taken, not the one before',
    );
  topics.set(name, hold(before, made, call, state.ledger));
};

/** In 2.x, a mapping of concentrated topics whose name is a pattern was what a concentration rule is now. */
function putPattern(
  pattern: string,
  mapping: JsonObject,
  { call, tell, vCluster }: Pick<Parameters<Handler>[0], 'call' | 'tell'> & { readonly vCluster: string },
  state: State,
): void {
  if (!isPattern(pattern)) throw new BadBody('Kafka has no topic of that name');
  if (!isConcentrated(mapping))
    throw new BadBody('it maps topics by a pattern, and an alias of v2 is for one topic');
  if (flagIn(mapping, 'readOnly') === true)
    tell('choice', 'left out: readOnly, which a concentration rule does not have');
  const physicalTopics = { delete: nameIn(mapping, 'physicalTopicName') };
  const spec = {
    pattern,
    physicalTopics,
    ...(flagIn(mapping, 'autoManaged') === true ? { autoManaged: true } : {}),
  };
  mention(state, vCluster, call);
  const rules = within(state.rules, vCluster);
  const key = keyOf(null, pattern);
  rules.set(key, hold(rules.get(key), { pattern, spec }, call, state.ledger));
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

function clusterOf(mapping: JsonObject): Pick<Topic, 'physicalCluster'> {
  const cluster = textIn(mapping, 'clusterId') ?? 'main';
  return cluster === 'main' ? {} : { physicalCluster: nameIn(mapping, 'clusterId') };
}

export const deleteTopic: Handler = (request, state) => {
  const { vCluster = 'passthrough', topic = '' } = request.params;
  if (isPattern(topic)) {
    deleteRules({ ...request, query: { pattern: topic } }, state);
    return;
  }
  const topics = within(state.topics, vCluster);
  const held = topics.get(topic);
  if (held === undefined) tellAbsent(request, `the topic mapping ${topic}`);
  else release(held, request.call, state.ledger);
  topics.delete(topic);
};

export const deleteTopics: Handler = (request, state) => {
  const { vCluster = 'passthrough' } = request.params;
  const topics = within(state.topics, vCluster);
  if (topics.size === 0) tellAbsent(request, `a topic mapping in ${vCluster}`);
  for (const held of topics.values()) release(held, request.call, state.ledger);
  topics.clear();
};

const RULE_KEYS = {
  physicalTopicName: 'delete',
  physicalTopicCompactedName: 'compact',
  physicalTopicCompactedDeletedName: 'deleteCompact',
} as const;

/** gateway-api C.5: the pattern is the key of a rule. */
export const putRule: Handler = ({ call, params, body, tell }, state) => {
  const { vCluster = 'passthrough' } = params;
  const rule = objectIn(body);
  const pattern = neededText(rule, 'pattern');
  const physicalTopics: Record<string, Json> = {};
  for (const [from, to] of Object.entries(RULE_KEYS))
    if (to === 'delete' || valueOf(rule, from) !== undefined) physicalTopics[to] = nameIn(rule, from);
  const autoManaged = flagIn(rule, 'autoManaged');
  if ((textIn(rule, 'clusterId') ?? 'main') !== 'main')
    tell('choice', 'left out: clusterId, which a concentration rule of v2 does not have');
  tellOthers(otherKeys(rule, [...Object.keys(RULE_KEYS), 'clusterId', 'pattern', 'autoManaged']), tell);
  mention(state, vCluster, call);
  const rules = within(state.rules, vCluster);
  const key = keyOf(null, pattern);
  const spec = { pattern, physicalTopics, ...(autoManaged === true ? { autoManaged } : {}) };
  rules.set(key, hold(rules.get(key), { pattern, spec }, call, state.ledger));
};

/** Without a pattern, it deletes all rules of the virtual cluster. */
export const deleteRules: Handler = (request, state) => {
  const { call, params, query } = request;
  const { vCluster = 'passthrough' } = params;
  const rules = within(state.rules, vCluster);
  const { pattern } = query;
  const keys = pattern === undefined ? [...rules.keys()] : [keyOf(null, pattern)];
  const found = keys.filter((key) => rules.has(key));
  if (found.length === 0) tellAbsent(request, `such a concentration rule in ${vCluster}`);
  for (const key of found) {
    const held = rules.get(key);
    if (held !== undefined) release(held, call, state.ledger);
    rules.delete(key);
  }
};

/** gateway-api C.2: a mapping is an EXTERNAL account, and makes it a member of groups. */
export const putMapping: Handler = ({ call, params, body, tell }, state) => {
  const mapping = objectIn(body);
  const { vCluster = 'passthrough' } = params;
  const name = params['username'] ?? nameIn(mapping, 'username');
  const identity = textIn(mapping, 'principal') ?? name;
  if (identity === '') throw new BadBody('its principal is empty');
  const groups = [...new Set(namesIn(mapping, 'groups'))];
  tellOthers(otherKeys(mapping, ['username', 'principal', 'groups', 'vcluster']), tell);
  mention(state, vCluster, call);
  const account = accountAt(state, vCluster, name);
  leaveGroups(account, state);
  account.external = hold(account.external, { identity, groups }, call, state.ledger);
  const key = keyOf(vCluster, name);
  for (const group of groups) groupAt(state, group).members.set(key, { account, by: [call] });
  if (vCluster === 'passthrough' && groups.length === 0 && identity === name)
    tell(
      'choice',
      'declared as an EXTERNAL account; a gateway with delegated authentication or mTLS does not need it',
    );
};

export const deleteMapping: Handler = (request, state) => {
  const { call, params } = request;
  const { vCluster = 'passthrough', username = '' } = params;
  const account = state.accounts.get(keyOf(vCluster, username));
  if (account?.external === undefined) {
    tellAbsent(request, `the user mapping ${username}`);
    return;
  }
  leaveGroups(account, state);
  release(account.external, call, state.ledger);
  account.external = undefined;
};

function leaveGroups({ vCluster, name, external }: Account, { groups }: State): void {
  for (const group of external?.value.groups ?? []) groups.get(group)?.members.delete(keyOf(vCluster, name));
}

/** gateway-api C.3: a token creates the account, and the virtual cluster. */
export const issueToken: Handler = ({ call, params, body }, state) => {
  const { vCluster = 'passthrough', username = '' } = params;
  const seconds = valueOf(body, 'lifeTimeSeconds');
  if (typeof seconds === 'string') refusePlaceholders(seconds, 'lifeTimeSeconds');
  mention(state, vCluster, call);
  const account = accountAt(state, vCluster, username);
  const lifetimes = typeof seconds === 'number' ? [seconds] : [];
  const before = account.local;
  if (before === undefined) account.local = { value: { lifetimes }, by: [call] };
  else before.by.push(call);
};

/** What v2 has no field for. */
export function tellOthers(keys: readonly string[], tell: (note: 'choice', text: string) => void): void {
  if (keys.length > 0) tell('choice', `left out: ${keys.slice(0, 5).join(', ')}, which v2 does not have`);
}
