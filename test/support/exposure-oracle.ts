import { parseAddress, type Address, type Resource } from '../../src/model/resource.ts';
import type { Principal } from '../../src/model/principal.ts';
import { afterOf, idOf, type Change, type ChangeId } from '../../src/plan/change/change.ts';
import type { Plan } from '../../src/plan/change/plan.ts';
import { isList, valueAt, valueOf, type Json } from '../../src/model/json/json.ts';

/**
 * Who is protected by what, said again in the most naive way: no index, no order, one loop for each question. It shares no
 * code with src/effective.
 */
export type Client = {
  readonly vCluster: string;
  readonly username: string | null;
  readonly external: string | null;
  /** Users that all other clients of a virtual cluster are not. */
  readonly named?: readonly string[];
  /** Who logs in with an external name: the account that has it in a state, and while none has it the last one. */
  readonly identity?: { readonly name: string; readonly was: Client };
};
export type State = ReadonlyMap<Address, Resource>;

const SORTS: Readonly<Record<string, string>> = {
  EncryptPlugin: 'encryption',
  FieldLevelDataMaskingPlugin: 'masking',
  AuditPlugin: 'audit',
};

/** The sorts of protection of a client, and its interceptors by priority and address. */
export function protectionOf(
  asked: Client,
  state: State,
): { readonly sorts: ReadonlySet<string>; readonly chain: readonly string[] } {
  const client = accountOf(asked, state);
  const groups = groupsOf(client, state);
  const matching: {
    name: string;
    rank: number;
    priority: number;
    address: Address;
    sort: string | undefined;
  }[] = [];
  for (const [address, { kind, metadata, spec }] of state) {
    if (kind !== 'Interceptor') continue;
    const scope = metadata['scope'];
    const axis = (name: string): Json => valueOf(scope, name) ?? null;
    const vCluster = valueOf(scope, 'vCluster') === undefined ? 'passthrough' : axis('vCluster');
    const [group, username] = [axis('group'), axis('username')];
    if (vCluster !== null && vCluster !== client.vCluster) continue;
    if (group !== null && !groups.includes(textOf(group))) continue;
    if (username !== null && username !== client.username) continue;
    const rank = username !== null ? 3 : group !== null ? 2 : vCluster !== null ? 1 : 0;
    const short = textOf(spec['pluginClass']).split('.').at(-1) ?? '';
    matching.push({
      name: metadata.name,
      rank,
      priority: Number(spec['priority']),
      address,
      sort: isFor(spec['config'], client) ? SORTS[short] : undefined,
    });
  }
  const winners = matching.filter(({ name, rank }) =>
    matching.every((other) => other.name !== name || other.rank <= rank),
  );
  winners.sort((one, other) => one.priority - other.priority || (one.address < other.address ? -1 : 1));
  return {
    sorts: new Set(winners.flatMap(({ sort }) => sort ?? [])),
    chain: winners.map(({ address }) => address),
  };
}

/** Whether a config is for a client. Patterns are words, or match names that nobody has. */
function isFor(config: Json | undefined, { vCluster, username, named = [] }: Client): boolean {
  const [clusters, users] = ['vcluster', 'username'].map((field) => textOf(valueOf(config, field) ?? '.*'));
  if (!new RegExp(`^(?:${clusters ?? ''})$`).test(vCluster)) return false;
  if (username !== null) return new RegExp(`^(?:${users ?? ''})$`).test(username);
  return !(users ?? '').split('|').every((name) => named.includes(name));
}

function accountOf(client: Client, state: State): Client {
  const { identity } = client;
  if (identity === undefined) return client;
  return namesIn(state).get(identity.name) ?? identity.was;
}

/** The accounts of all external names. */
function namesIn(state: State): ReadonlyMap<string, Client> {
  return new Map(
    [...state].flatMap(([address, { kind, metadata, spec }]) =>
      kind === 'GatewayServiceAccount'
        ? listAt(spec['externalNames']).map((name): [string, Client] => [
            textOf(name),
            {
              vCluster: textOf(parseAddress(address)?.scope['vCluster']),
              username: metadata.name,
              external: null,
            },
          ])
        : [],
    ),
  );
}

/** External names that are of another account after, by the account after. */
function movedOf(before: State, after: State): readonly Client[] {
  const is = namesIn(after);
  return [...namesIn(before)].flatMap(([name, was]): readonly Client[] => {
    const now = is.get(name);
    const isSame = now?.vCluster === was.vCluster && now.username === was.username;
    return now === undefined || isSame ? [] : [{ ...now, identity: { name, was } }];
  });
}

function groupsOf({ vCluster, username, external }: Client, state: State): readonly string[] {
  return [...state.values()].flatMap(({ kind, metadata, spec }) => {
    if (kind !== 'GatewayGroup') return [];
    const isMember = listAt(spec['members']).some(
      (member) =>
        valueOf(member, 'name') === username && (valueOf(member, 'vCluster') ?? 'passthrough') === vCluster,
    );
    const isMapped = external !== null && listAt(spec['externalGroups']).includes(external);
    return isMember || isMapped ? [metadata.name] : [];
  });
}

/** The clients that are there before and after: accounts, users and external groups that rules name, and all other clients. */
export function clientsOf(before: State, after: State): readonly Client[] {
  const [was, is] = [before, after].map((state) => ({
    clusters: new Set([
      'passthrough',
      ...[...state].flatMap(([, { kind, metadata }]) => (kind === 'VirtualCluster' ? [metadata.name] : [])),
    ]),
    users: new Set([...state].flatMap(([address, resource]) => usersIn(address, resource))),
    scoped: new Set([...state].flatMap(([, resource]) => scopedUsers(resource))),
    external: new Set([...state.values()].flatMap(({ spec }) => listAt(spec['externalGroups']).map(String))),
  }));
  if (was === undefined || is === undefined) return [];
  const clusters = [...was.clusters].filter((name) => is.clusters.has(name));
  const lasting = [...was.users].filter((key) => is.users.has(key));
  const scopedOnly = [...was.scoped, ...is.scoped].filter((key) => {
    if (was.users.has(key) && is.users.has(key)) return false;
    // An account that comes or goes has no chain to compare with, unless a scope names it on the other side.
    const [inWas, inIs] = [
      was.users.has(key) || was.scoped.has(key),
      is.users.has(key) || is.scoped.has(key),
    ];
    if (was.users.has(key) && !inIs) return false;
    if (is.users.has(key) && !inWas) return false;
    return true;
  });
  const users = [...new Set([...lasting, ...scopedOnly])].map((key): Client => {
    const [vCluster = '', username = ''] = key.split('/');
    return { vCluster, username, external: null };
  });
  const external = [...new Set([...was.external, ...is.external])];
  const all = [was, is].flatMap((one) => [...one.users, ...one.scoped]);
  const others = clusters.map((vCluster): Client => {
    const named = all.flatMap((key) =>
      key.startsWith(`${vCluster}/`) ? [key.slice(vCluster.length + 1)] : [],
    );
    return { vCluster, username: null, external: null, named };
  });
  return [
    ...users.filter(({ vCluster }) => clusters.includes(vCluster)),
    ...others,
    ...others
      .flatMap((one) => external.map((name): Client => ({ ...one, external: name })))
      .filter((client) => canDiffer(client, [before, after])),
    ...movedOf(before, after),
  ];
}

/** What clients lose for good, those too that come. */
export function lossesOf(before: State, after: State): readonly string[] {
  const lostBy = (clients: readonly Client[], former: State): readonly string[] =>
    clients.flatMap((client) => {
      const { sorts } = protectionOf(client, after);
      const lost = [...protectionOf(client, former).sorts].filter((sort) => !sorts.has(sort));
      return lost.map((sort) => printClient(client, sort));
    });
  const { comers, asBefore } = comersOf(before, after);
  return [...lostBy(clientsOf(before, after), before), ...lostBy(comers, asBefore)].sort();
}

/** The clients that come, and the state before as if they had been there, in the groups that they are in after. */
function comersOf(
  before: State,
  after: State,
): { readonly comers: readonly Client[]; readonly asBefore: State } {
  const known = new Set(
    clientsOf(before, after).flatMap((client) => [keyOf(client), keyOf({ ...client, identity: undefined })]),
  );
  const isGroup = ([, { kind }]: readonly [Address, Resource]): boolean => kind === 'GatewayGroup';
  return {
    comers: clientsOf(after, after).filter((client) => !known.has(keyOf(client))),
    asBefore: new Map([...[...before].filter((one) => !isGroup(one)), ...[...after].filter(isGroup)]),
  };
}

function keyOf({
  vCluster,
  username,
  external,
  identity,
}: Omit<Client, 'identity'> & { readonly identity?: Client['identity'] | undefined }): string {
  return JSON.stringify([vCluster, username, external, identity?.name]);
}

export function toClient(one: Principal): Client {
  const { virtualCluster: vCluster, username, externalGroup, identity } = one;
  const client = { vCluster, username, external: externalGroup ?? null };
  if (identity === undefined) return client;
  const { externalName: name = '', was } = identity;
  return {
    ...client,
    identity: { name, was: { vCluster: was.virtualCluster, username: was.username, external: null } },
  };
}

export function printClient({ vCluster, username, external, identity }: Client, what: string): string {
  const of = external === null ? '' : ` of ${external}`;
  const as = identity === undefined ? '' : ` as ${identity.name} after ${printClient(identity.was, '')}`;
  return `${vCluster}/${username ?? '*'}${of}${as}: ${what}`;
}

/** A state after a change. */
export function applyChange(state: State, change: Change): State {
  const next = new Map(state);
  const resource = afterOf(change);
  if (resource === undefined) next.delete(change.address);
  else next.set(change.address, resource);
  return next;
}

/** Every state that a run can leave behind at some moment, whatever the order of calls in flight together. */
export function reachableStates(plan: Plan, before: State): readonly State[] {
  const found = new Map<string, { readonly done: ReadonlySet<ChangeId>; readonly state: State }>([
    ['', { done: new Set(), state: before }],
  ]);
  for (const { done, state } of found.values()) {
    const isEarly = plan.changes.some((one) => one.stage === 1 && !done.has(idOf(one)));
    for (const change of plan.changes) {
      if (done.has(idOf(change)) || !change.dependsOn.every((id) => done.has(id))) continue;
      if (change.stage === 2 && isEarly) continue;
      const next = new Set([...done, idOf(change)]);
      const key = [...next].sort().join('|');
      if (!found.has(key)) found.set(key, { done: next, state: applyChange(state, change) });
    }
  }
  return Array.from(found.values(), ({ state }) => state);
}

/** Every client of an external group alone, also those that are always like all other clients. */
export function externalClientsOf(before: State, after: State): readonly Client[] {
  const everybody = clientsOf(before, after).filter(({ username }) => username === null);
  const names = [before, after].flatMap((state) =>
    [...state.values()].flatMap(({ spec }) => listAt(spec['externalGroups']).map(String)),
  );
  return everybody
    .filter(({ external }) => external === null)
    .flatMap((one) => [...new Set(names)].map((external) => ({ ...one, external })));
}

/** Whether a group that they are in at some time can have an interceptor at some time: otherwise they are like all other clients. */
function canDiffer(client: Client, states: readonly State[]): boolean {
  const groups = states.flatMap((state) => groupsOf(client, state));
  return states.some((state) =>
    [...state.values()].some(({ kind, metadata }) => {
      const scope = metadata['scope'];
      const group = valueOf(scope, 'group');
      return (
        kind === 'Interceptor' &&
        typeof group === 'string' &&
        groups.includes(group) &&
        (valueOf(scope, 'vCluster') ?? 'passthrough') === client.vCluster
      );
    }),
  );
}

function usersIn(address: Address, { kind, metadata, spec }: Resource): readonly string[] {
  if (kind === 'GatewayServiceAccount')
    return [`${String(parseAddress(address)?.scope['vCluster'])}/${metadata.name}`];
  if (kind !== 'GatewayGroup') return [];
  return listAt(spec['members']).map(
    (member) => `${textOf(valueOf(member, 'vCluster') ?? 'passthrough')}/${textOf(valueOf(member, 'name'))}`,
  );
}

function scopedUsers(resource: Resource): readonly string[] {
  if (resource.kind !== 'Interceptor') return [];
  const username = valueAt(resource, '/metadata/scope/username');
  const vCluster = valueAt(resource, '/metadata/scope/vCluster') ?? 'passthrough';
  return typeof username === 'string' ? [`${textOf(vCluster)}/${username}`] : [];
}

function listAt(value: Json | undefined): readonly Json[] {
  return isList(value) ? value : [];
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
