import { isList, isObject, valueAt, valueOf, type Json, type JsonObject } from '../../model/json/json.ts';
import { aliasTopic } from '../../schema/kinds/alias-topic.ts';
import { kafkaName } from '../../schema/kinds/common.ts';
import { concentrationRule } from '../../schema/kinds/concentration-rule.ts';
import { group } from '../../schema/kinds/group.ts';
import { interceptor } from '../../schema/kinds/interceptor.ts';
import { serviceAccount } from '../../schema/kinds/service-account.ts';
import { virtualCluster } from '../../schema/kinds/virtual-cluster.ts';
import { BadBody, nameIn, neededText, objectIn, textIn } from './body.ts';
import { modernise } from './interceptors.ts';
import { patternOf } from './names.ts';
import {
  accountAt,
  groupAt,
  hold,
  keyOf,
  mention,
  release,
  tellAbsent,
  within,
  type Handler,
  type Request,
  type Scope,
  type State,
} from './v1-state.ts';

/** A resource of v2 in a body, or the identity of one. */
type Written = {
  readonly name: string;
  readonly vCluster: string;
  readonly metadata: JsonObject;
  readonly spec: JsonObject;
};
type Writer = (written: Written, request: Request, state: State) => void;

function resourceIn(body: Json | undefined): Written {
  const metadata = objectIn(valueOf(objectIn(body), 'metadata'));
  const spec = valueOf(objectIn(body), 'spec') ?? {};
  if (!isObject(spec)) throw new BadBody('spec of its body is not a JSON object');
  return { ...identityIn(metadata), metadata, spec };
}

function identityIn(metadata: JsonObject): Pick<Written, 'name' | 'vCluster'> {
  return { name: nameIn(metadata, 'name'), vCluster: textIn(metadata, 'vCluster') ?? 'passthrough' };
}

function scopeIn(metadata: JsonObject): Scope {
  const scope = objectIn(valueOf(metadata, 'scope') ?? {});
  const axis = (key: string): string | null =>
    (valueOf(scope, key) ?? null) === null ? null : nameIn(scope, key);
  const vCluster = valueOf(scope, 'vCluster') === undefined ? 'passthrough' : axis('vCluster');
  return { vCluster, group: axis('group'), username: axis('username') };
}

const RULE_NAME = patternOf(kafkaName);

/** By the path of the collection: what a PUT of one of its resources does. */
const PUTS: ReadonlyMap<string, Writer> = new Map<string, Writer>([
  [
    virtualCluster.collection,
    ({ name, spec }, { call }, { clusters, ledger }) => {
      const held = clusters.get(name);
      const calls = [...(held?.value?.calls ?? []), call];
      clusters.set(name, hold(held, { spec, calls }, call, ledger));
    },
  ],
  [
    aliasTopic.collection,
    ({ name, vCluster, spec }, { call }, state) => {
      const cluster = textIn(spec, 'physicalCluster') ?? 'main';
      const topics = within(state.topics, vCluster);
      const topic = {
        physicalName: nameIn(spec, 'physicalName'),
        ...(cluster === 'main' ? {} : { physicalCluster: cluster }),
        isConcentrated: false,
        isReadOnly: topics.get(name)?.value.isReadOnly === true,
      };
      mention(state, vCluster, call);
      topics.set(name, hold(topics.get(name), topic, call, state.ledger));
    },
  ],
  [
    concentrationRule.collection,
    ({ name, vCluster, spec }, { call }, state) => {
      mention(state, vCluster, call);
      const rules = within(state.rules, vCluster);
      const pattern = neededText(spec, 'pattern');
      // A gateway shows a rule of v1, which has no name, under one that v2 refuses.
      const rule = RULE_NAME.test(name) ? { name, pattern, spec } : { pattern, spec };
      const key = rule.name === undefined ? keyOf(null, pattern) : keyOf(name);
      rules.set(key, hold(rules.get(key), rule, call, state.ledger));
    },
  ],
  [
    serviceAccount.collection,
    ({ name, vCluster, spec }, { call }, state) => {
      const isLocal = textIn(spec, 'type')?.toUpperCase() === 'LOCAL';
      const identity = valueAt(spec, '/externalNames/0');
      if (!isLocal && typeof identity !== 'string')
        throw new BadBody('spec of its body has no external name');
      mention(state, vCluster, call);
      const account = accountAt(state, vCluster, name);
      const { external, local } = account;
      if (typeof identity === 'string' && !isLocal) {
        const groups = external?.value.groups ?? [];
        account.external = hold(external, { identity, groups }, call, state.ledger);
        if (local !== undefined) release(local, call, state.ledger);
        account.local = undefined;
      } else {
        account.local = hold(local, { lifetimes: [] }, call, state.ledger);
        if (external !== undefined) release(external, call, state.ledger);
        account.external = undefined;
      }
    },
  ],
  [
    group.collection,
    ({ name, spec }, { call, tell }, state) => {
      const made = groupAt(state, name);
      made.mentions.push(call);
      made.members.clear();
      const members = valueOf(spec, 'members') ?? [];
      const externalGroups = valueOf(spec, 'externalGroups') ?? [];
      if (!isList(members) || !isList(externalGroups))
        throw new BadBody('spec of its body has no lists of members');
      made.externalGroups = externalGroups;
      for (const member of members) {
        const account = identityIn(objectIn(member));
        if (!state.accounts.has(keyOf(account.vCluster, account.name)))
          tell('choice', `the member ${account.name} is left out unless a call creates it`);
        made.members.set(keyOf(account.vCluster, account.name), { account, by: [call] });
      }
    },
  ],
  [
    interceptor.collection,
    ({ name, metadata, spec }, { call, tell }, state) => {
      const scope = scopeIn(metadata);
      const config = valueOf(spec, 'config') ?? {};
      if (!isObject(config)) throw new BadBody('config of its body is not a JSON object');
      const { choices, ...today } = modernise(nameIn(spec, 'pluginClass'), config);
      for (const choice of choices) tell('choice', choice);
      if (scope.vCluster !== null) mention(state, scope.vCluster, call);
      if (scope.group !== null) groupAt(state, scope.group).mentions.push(call);
      const key = keyOf(name, scope.vCluster, scope.group, scope.username);
      const made = { name, scope, spec: { ...spec, ...today } };
      state.interceptors.set(key, hold(state.interceptors.get(key), made, call, state.ledger));
    },
  ],
]);

export const putResource: Handler = (request, state) => {
  const put = PUTS.get(`/gateway/v2/${request.params['collection'] ?? ''}`);
  if (put === undefined) throw new BadBody('gwconf cannot declare that kind');
  put(resourceIn(request.body), request, state);
};

/** A DELETE of v2 by what identifies the resource. */
type Remover = (written: Written, state: State) => { readonly by: number[] } | undefined;

function takeFrom<T>(map: Map<string, T> | undefined, key: string): T | undefined {
  const found = map?.get(key);
  map?.delete(key);
  return found;
}

const DELETES: ReadonlyMap<string, Remover> = new Map<string, Remover>([
  [virtualCluster.collection, ({ name }, { clusters }) => takeFrom(clusters, name)],
  [aliasTopic.collection, ({ name, vCluster }, { topics }) => takeFrom(topics.get(vCluster), name)],
  [
    concentrationRule.collection,
    ({ name, vCluster }, { rules }) => takeFrom(rules.get(vCluster), keyOf(name)),
  ],
  [
    serviceAccount.collection,
    ({ name, vCluster }, { accounts }) => {
      const account = takeFrom(accounts, keyOf(vCluster, name));
      return account?.external ?? account?.local;
    },
  ],
  [
    group.collection,
    ({ name }, { groups }) => {
      const found = takeFrom(groups, name);
      return found === undefined ? undefined : { by: found.mentions };
    },
  ],
  [
    interceptor.collection,
    ({ name, metadata }, { interceptors }) => {
      const { vCluster, group: inGroup, username } = scopeIn({ scope: metadata });
      return takeFrom(interceptors, keyOf(name, vCluster, inGroup, username));
    },
  ],
]);

export const deleteResource: Handler = (request, state) => {
  const { params, body, call } = request;
  const remove = DELETES.get(`/gateway/v2/${params['collection'] ?? ''}`);
  if (remove === undefined) throw new BadBody('gwconf cannot declare that kind');
  const metadata = isObject(body) ? body : {};
  const name = params['name'] ?? nameIn(metadata, 'name');
  const written = { ...identityIn({ ...metadata, name }), metadata, spec: {} };
  const found = remove(written, state);
  if (found === undefined) tellAbsent(request, `the object ${name}`);
  else release({ value: undefined, by: found.by }, call, state.ledger);
};
