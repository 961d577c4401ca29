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
  keyOfInterceptor,
  mention,
  putInterceptorAt,
  putRuleAt,
  putTopicAt,
  release,
  take,
  tellDeleted,
  type Handler,
  type Held,
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

type Collection = {
  readonly put: (written: Written, request: Request, state: State) => void;
  /** Takes out what has this identity; undefined if there is nothing. */
  readonly take: (written: Written, state: State) => Pick<Held<unknown>, 'by'> | undefined;
};

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

/** What a PUT and a DELETE of a resource do, by the path of its collection. */
const COLLECTIONS: Readonly<Record<string, Collection>> = {
  [virtualCluster.collection]: {
    put({ name, spec }, request, state) {
      const held = state.clusters.get(name);
      const calls = [...(held?.value?.calls ?? []), request.call];
      state.clusters.set(name, hold(held, { spec, calls }, request, state));
    },
    take: ({ name }, { clusters }) => take(clusters, name),
  },
  [aliasTopic.collection]: {
    put({ name, vCluster, spec }, request, state) {
      const cluster = textIn(spec, 'physicalCluster') ?? 'main';
      const topic = {
        physicalName: nameIn(spec, 'physicalName'),
        ...(cluster === 'main' ? {} : { physicalCluster: cluster }),
        isConcentrated: false,
        isReadOnly: state.topics.get(vCluster)?.get(name)?.value.isReadOnly === true,
      };
      putTopicAt(vCluster, name, topic, request, state);
    },
    take: ({ name, vCluster }, { topics }) => take(topics.get(vCluster), name),
  },
  [concentrationRule.collection]: {
    put({ name, vCluster, spec }, request, state) {
      const pattern = neededText(spec, 'pattern');
      // A gateway shows a rule of v1, which has no name, under one that v2 refuses.
      const rule = RULE_NAME.test(name) ? { name, pattern, spec } : { pattern, spec };
      putRuleAt(vCluster, rule, request, state);
    },
    take: ({ name, vCluster }, { rules }) => take(rules.get(vCluster), keyOf(name)),
  },
  [serviceAccount.collection]: {
    put({ name, vCluster, spec }, request, state) {
      const isLocal = textIn(spec, 'type')?.toUpperCase() === 'LOCAL';
      const identity = isLocal ? undefined : valueAt(spec, '/externalNames/0');
      if (!isLocal && typeof identity !== 'string')
        throw new BadBody('spec of its body has no external name');
      mention(state, vCluster, request);
      const account = accountAt(state, vCluster, name);
      const { external, local } = account;
      const replaced = isLocal ? external : local;
      if (replaced !== undefined) release(replaced, request, state);
      account.local = isLocal ? hold(local, undefined, request, state) : undefined;
      account.external =
        typeof identity === 'string'
          ? hold(external, { identity, groups: external?.value.groups ?? [] }, request, state)
          : undefined;
    },
    take({ name, vCluster }, { accounts }) {
      const account = take(accounts, keyOf(vCluster, name));
      return account?.external ?? account?.local;
    },
  },
  [group.collection]: {
    put({ name, spec }, { call, tell }, state) {
      const members = valueOf(spec, 'members') ?? [];
      const externalGroups = valueOf(spec, 'externalGroups') ?? [];
      if (!isList(members) || !isList(externalGroups))
        throw new BadBody('spec of its body has no lists of members');
      const accounts = members.map((member) => identityIn(objectIn(member)));
      const made = groupAt(state, name);
      made.mentions.push(call);
      made.members.clear();
      made.externalGroups = externalGroups;
      for (const account of accounts) {
        const key = keyOf(account.vCluster, account.name);
        if (!state.accounts.has(key))
          tell('choice', `the member ${account.name} is left out unless a call creates it`);
        made.members.set(key, { account, by: [call] });
      }
    },
    take({ name }, { groups }) {
      const found = take(groups, name);
      return found && { by: found.mentions };
    },
  },
  [interceptor.collection]: {
    put({ name, metadata, spec }, request, state) {
      const scope = scopeIn(metadata);
      const config = valueOf(spec, 'config') ?? {};
      if (!isObject(config)) throw new BadBody('config of its body is not a JSON object');
      const { choices, ...today } = modernise(nameIn(spec, 'pluginClass'), config);
      for (const choice of choices) request.tell('choice', choice);
      putInterceptorAt({ name, scope, spec: { ...spec, ...today } }, request, state);
    },
    take: ({ name, metadata }, { interceptors }) =>
      take(interceptors, keyOfInterceptor(name, scopeIn({ scope: metadata }))),
  },
};

function collectionIn({ params }: Request): Collection {
  const found = COLLECTIONS[`/gateway/v2/${params['collection'] ?? ''}`];
  if (found === undefined) throw new BadBody('gwconf cannot declare that kind');
  return found;
}

export const putResource: Handler = (request, state) => {
  if (request.query['dryMode'] === 'true') {
    request.tell('command', 'use gwconf plan: it changes nothing');
    return;
  }
  collectionIn(request).put(resourceIn(request.body), request, state);
};

/** By what identifies the resource. */
export const deleteResource: Handler = (request, state) => {
  const { params, body } = request;
  const collection = collectionIn(request);
  const metadata = isObject(body) ? body : {};
  const name = params['name'] ?? nameIn(metadata, 'name');
  const written = { ...identityIn({ ...metadata, name }), metadata, spec: {} };
  tellDeleted(collection.take(written, state), `the object ${name}`, request, state);
};
