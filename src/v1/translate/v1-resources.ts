import { placeholdersIn } from '../../declare/declared.ts';
import { addAll, addTo, byKey, present } from '../../model/collect.ts';
import { identify } from '../../model/identity.ts';
import { changeAt, type Json, type JsonObject } from '../../model/json/json.ts';
import { addressOf, type Kind } from '../../model/kind.ts';
import { asValid, type Address, type Resource } from '../../model/resource.ts';
import { aliasTopic } from '../../schema/kinds/alias-topic.ts';
import { accountName, kafkaName } from '../../schema/kinds/common.ts';
import { concentrationRule } from '../../schema/kinds/concentration-rule.ts';
import { group } from '../../schema/kinds/group.ts';
import { interceptor } from '../../schema/kinds/interceptor.ts';
import { serviceAccount } from '../../schema/kinds/service-account.ts';
import { virtualCluster } from '../../schema/kinds/virtual-cluster.ts';
import { PLUGIN_PREFIX } from '../../schema/plugins/plugin.ts';
import type { TranslatedGateway } from './ledger.ts';
import {
  nameAccounts,
  nameGroups,
  type NamedAccount,
  patternOf,
  proposeNames,
  type NameRule,
} from './names.ts';
import { keyOf, type Held, type Rule, type State, type Topic } from './v1-state.ts';

/** Adds a resource that these calls make, or that is only needed by what they make. */
type Add = (
  kind: Kind,
  metadata: JsonObject,
  spec: JsonObject,
  by: Iterable<number>,
  isNeeded?: boolean,
) => Address;

/** The resources of v2 that are what a gateway holds, and its clients. The ledger learns what each call became. */
export function makeResources(
  state: State,
): Pick<TranslatedGateway, 'clients' | 'moved'> & { readonly resources: ReadonlyMap<Address, Resource> } {
  const resources = new Map<Address, Resource>();
  const { ledger } = state;
  const add: Add = (kind, { name = '', ...scope }, spec, by, isNeeded) => {
    const metadata = { name, ...scope };
    const resource = asValid({ apiVersion: kind.apiVersion, kind: kind.name, metadata, spec });
    const address = identify(kind, resource);
    resources.set(address, resource);
    ledger.declare(by, address, isNeeded);
    return address;
  };
  const accounts = nameAccounts(state);
  addClusters(accounts, state, add);
  addAccounts(accounts.values(), state, add);
  const groups = nameGroups(state);
  addGroups(groups, accounts, state, add);
  for (const [vCluster, topics] of state.topics) addTopics(vCluster, topics, state, add);
  addReadOnly(state, add);
  for (const [vCluster, rules] of state.rules) addRules(vCluster, rules, state, add);
  const moved = addInterceptors(groups, accounts, state, add);
  return { resources, moved, clients: clientsOf(groups, accounts, state) };
}

function addClusters(
  accounts: ReadonlyMap<string, NamedAccount>,
  { clusters, ledger }: State,
  add: Add,
): void {
  for (const [name, { value, by }] of clusters) {
    if (name === 'passthrough') continue;
    const nameNow = (user: string): string => accounts.get(keyOf(name, user))?.name ?? user;
    const address = add(virtualCluster, { name }, renameUsers(value?.spec ?? {}, nameNow), by, true);
    ledger.declare(value?.calls ?? [], address);
  }
}

/** The spec of a virtual cluster whose super users and principals have the names that their accounts have now. */
function renameUsers(spec: JsonObject, nameNow: (user: string) => string): JsonObject {
  const named = changeAt(spec, ['superUsers', '*'], (user) =>
    typeof user === 'string' ? nameNow(user) : user,
  );
  return changeAt(named, ['acls', '*', 'principal'], (one) =>
    typeof one === 'string' && one.startsWith(USER) ? `${USER}${nameNow(one.slice(USER.length))}` : one,
  ) as JsonObject; // no part of it ends
}

const USER = 'User:';

function addAccounts(accounts: Iterable<NamedAccount>, { ledger }: State, add: Add): void {
  for (const { account, name, type, by } of accounts) {
    const { vCluster, external } = account;
    const isExternal = type === 'EXTERNAL' && external !== undefined;
    const spec = isExternal ? { type, externalNames: [external.value.identity] } : { type: 'LOCAL' };
    const address = add(serviceAccount, { name, vCluster }, spec, by);
    if (isExternal) continue;
    ledger.add(
      account.local?.by ?? [],
      'fact',
      `to get a token: gwconf token issue ${address} --lifetime ${lifetimeOf(account.local?.value)}`,
    );
  }
}

/** As the call has it, in days if these are whole; what gwconf does not issue is 90 days. */
function lifetimeOf(seconds = 0): string {
  const days = seconds / 86_400;
  if (seconds < 1 || days > 36_500) return '90d';
  return Number.isInteger(days) ? `${days}d` : `${seconds}s`;
}

function addGroups(
  names: ReadonlyMap<string, string>,
  accounts: ReadonlyMap<string, NamedAccount>,
  { groups, ledger }: State,
  add: Add,
): void {
  for (const [old, { members, mentions, externalGroups }] of groups) {
    const by = [...mentions];
    const listed: Json[] = [];
    for (const [key, { account, by: calls }] of members) {
      const named = accounts.get(key);
      if (named === undefined) continue;
      listed.push({ name: named.name, vCluster: account.vCluster });
      addAll(by, calls);
    }
    const name = names.get(old) ?? old;
    if (listed.length === 0 && externalGroups.length === 0) {
      if (by.length === 0) continue;
      ledger.add(
        mentions,
        'choice',
        `no call gives the group ${name} a member, so it is declared without any`,
      );
    }
    if (name !== old) ledger.add(by, 'choice', `v2 refuses the name of the group, which is now ${name}`);
    add(group, { name }, { members: listed, externalGroups }, by, true);
  }
}

const RULE_NAME: NameRule = { fits: patternOf(kafkaName), longest: 200, word: 'rule' };

function addTopics(
  vCluster: string,
  topics: ReadonlyMap<string, Held<Topic>>,
  { clusters, ledger }: State,
  add: Add,
): void {
  const isPartner = clusters.get(vCluster)?.value?.spec['type'] === 'Partner';
  for (const [name, { value, by }] of topics) {
    const { physicalName, physicalCluster, isConcentrated, autoManaged } = value;
    if (physicalCluster !== undefined && !isPartner) {
      const why = `only a virtual cluster of the type Partner has topics on ${physicalCluster}; declare ${vCluster} as one first`;
      ledger.add(by, 'refusal', why);
    } else if (!isConcentrated) {
      add(aliasTopic, { name, vCluster }, { physicalName, ...present({ physicalCluster }) }, by);
    } else {
      const spec = {
        pattern: escapeRegex(name),
        physicalTopics: { delete: physicalName },
        ...(autoManaged === true ? { autoManaged } : {}),
      };
      const address = add(concentrationRule, { name, vCluster }, spec, by);
      ledger.add(
        by.slice(-1),
        'choice',
        `${address} is for this topic alone, and takes its physical topic as one with cleanup.policy delete`,
      );
    }
  }
}

/** A name as a regular expression of Java. */
function escapeRegex(name: string): string {
  return name.replace(/[.\\+*?^${}()|[\]]/g, String.raw`\$&`);
}

/** v2 has no field for it, so an interceptor refuses writes. It runs first, beside no other of its priority. */
function addReadOnly(state: State, add: Add): void {
  const taken = new Set([...state.interceptors.values()].map(({ value }) => value.name));
  const priorities = new Set([...state.interceptors.values()].map(({ value }) => value.spec['priority']));
  let priority = 0;
  for (const [vCluster, topics] of state.topics)
    for (const [topic, { value, by }] of [...topics].sort(byKey)) {
      if (!value.isReadOnly) continue;
      do priority += 1;
      while (priorities.has(priority));
      const wanted = `read-only-${topic}`;
      const name = proposeNames([wanted], ALIAS, taken).get(wanted) ?? wanted;
      const address = add(
        interceptor,
        { name, scope: { vCluster, group: null, username: null } },
        {
          comment: `Clients must not write to ${topic}`,
          pluginClass: `${PLUGIN_PREFIX}safeguard.ReadOnlyTopicPolicyPlugin`,
          priority,
          config: { topic: escapeRegex(topic), action: 'BLOCK' },
        },
        by,
      );
      state.ledger.add(by.slice(-1), 'choice', `v2 has no readOnly, so ${address} blocks writes`);
    }
}

const ALIAS: NameRule = { fits: /^/, longest: 300, word: 'alias' };

function addRules(
  vCluster: string,
  rules: ReadonlyMap<string, Held<Rule>>,
  { topics, ledger }: State,
  add: Add,
): void {
  const taken = [...rules.values()].flatMap(({ value: { name } }) => name ?? []);
  for (const [topic, { value }] of topics.get(vCluster) ?? []) if (value.isConcentrated) taken.push(topic);
  const patterns = [...rules.values()].flatMap(({ value: { name, pattern } }) =>
    name === undefined ? pattern : [],
  );
  const names = proposeNames(patterns, RULE_NAME, taken);
  for (const { value, by } of rules.values()) {
    const { pattern } = value;
    const name = value.name ?? names.get(pattern) ?? pattern;
    const address = add(concentrationRule, { name, vCluster }, value.spec, by);
    if (value.name === undefined)
      ledger.add(by, 'choice', `rules of v1 have no name: this one is ${address}`);
  }
}

const ACCOUNT_NAME = patternOf(accountName);

function addInterceptors(
  groups: ReadonlyMap<string, string>,
  accounts: ReadonlyMap<string, NamedAccount>,
  { interceptors, ledger }: State,
  add: Add,
): ReadonlyMap<Address, Address> {
  const moved = new Map<Address, Address>();
  for (const { value, by } of interceptors.values()) {
    const { name, scope, spec } = value;
    const { vCluster, group: inGroup, username } = scope;
    const account = username === null ? undefined : accounts.get(keyOf(vCluster, username));
    const now = account?.name ?? username;
    if (username !== null && account === undefined && !ACCOUNT_NAME.test(username))
      ledger.add(
        by,
        'fact',
        `the account ${username} was not found; if it is LOCAL, it needs a new name in v2, also in this scope`,
      );
    if (now !== username) ledger.add(by, 'choice', `its user is now ${now ?? ''}`);
    const groupName = inGroup === null ? null : (groups.get(inGroup) ?? inGroup);
    const scopeNow = { vCluster, group: groupName, username: now };
    const address = add(interceptor, { name, scope: scopeNow }, spec, by);
    moved.set(addressOf(interceptor.name, name, scope), address);
    const variables = [...new Set(placeholdersIn(JSON.stringify(spec)))].slice(0, 5).join(', ');
    if (variables !== '') ledger.add(by.slice(-1), 'choice', `${variables} must be set for gwconf`);
  }
  return moved;
}

/** The clients of a gateway under their old and new names. */
function clientsOf(
  groups: ReadonlyMap<string, string>,
  accounts: ReadonlyMap<string, NamedAccount>,
  state: State,
): TranslatedGateway['clients'] {
  const groupsOf = new Map<string, string[]>();
  for (const [name, { members }] of state.groups)
    for (const key of members.keys()) addTo(groupsOf, key, name);
  const users = new Map<string, { readonly vCluster: string; readonly username: string }>();
  for (const [key, { account }] of accounts)
    users.set(key, { vCluster: account.vCluster, username: account.name });
  for (const { value } of state.interceptors.values()) {
    const { vCluster, username } = value.scope;
    if (vCluster !== null && username !== null) users.set(keyOf(vCluster, username), { vCluster, username });
  }
  const clusters = new Set(['passthrough', ...state.clusters.keys()]);
  const nameless = [...clusters].map((vCluster) => {
    const client = { vCluster, groups: [] };
    return { before: client, after: client };
  });
  const named = [...users].map(([key, { vCluster, username }]) => {
    const old = accounts.has(key) ? (groupsOf.get(key) ?? []) : [];
    return {
      before: { vCluster, username, groups: old },
      after: {
        vCluster,
        username: accounts.get(key)?.name ?? username,
        groups: old.map((group) => groups.get(group) ?? group),
      },
    };
  });
  return [...nameless, ...named];
}
