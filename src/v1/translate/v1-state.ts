import { getOrAdd } from '../../model/collect.ts';
import type { Json, JsonObject } from '../../model/json/json.ts';
import type { Checks } from './drop.ts';
import type { Ledger, Note } from './ledger.ts';

/** An object, and the numbers of the calls that made it what it is, the newest last. */
export type Held<T> = { value: T; readonly by: number[] };

/** An account under its old name; a client can log in with a token of the gateway, as an external identity, or both. */
export type Account = {
  readonly vCluster: string;
  readonly name: string;
  external?: Held<{ readonly identity: string; readonly groups: readonly string[] }> | undefined;
  /** How many seconds its token is valid, if that is known. */
  local?: Held<number | undefined> | undefined;
};

/** A virtual cluster as the last of `calls` makes it. */
type Cluster = { readonly spec: JsonObject; readonly calls: readonly number[] };

export type Group = {
  /** By its key: the account. */
  readonly members: Map<
    string,
    { readonly account: Pick<Account, 'vCluster' | 'name'>; readonly by: number[] }
  >;
  /** Calls that name it without making a member. */
  readonly mentions: number[];
  externalGroups: readonly Json[];
};

export type Topic = {
  readonly physicalName: string;
  readonly physicalCluster?: string;
  readonly isConcentrated: boolean;
  readonly isReadOnly: boolean;
  readonly autoManaged?: boolean;
};

/** A concentration rule; those of v1 have no name. */
export type Rule = { readonly name?: string; readonly pattern: string; readonly spec: JsonObject };

export type Scope = {
  readonly vCluster: string | null;
  readonly group: string | null;
  readonly username: string | null;
};
type Interceptor = { readonly name: string; readonly scope: Scope; readonly spec: JsonObject };

/** The objects of a gateway, under their old names. */
export type State = {
  /** By name, with the calls that mention them, and what calls to v2 make them. */
  readonly clusters: Map<string, Held<Cluster | undefined>>;
  readonly accounts: Map<string, Account>;
  readonly groups: Map<string, Group>;
  /** By virtual cluster and name. */
  readonly topics: Map<string, Map<string, Held<Topic>>>;
  /** By virtual cluster, and by pattern or name. */
  readonly rules: Map<string, Map<string, Held<Rule>>>;
  readonly interceptors: Map<string, Held<Interceptor>>;
  readonly checks: Pick<Checks, 'mask'>;
  readonly ledger: Ledger;
};

export function makeState(ledger: Ledger, checks: Pick<Checks, 'mask'>): State {
  return {
    checks,
    clusters: new Map(),
    accounts: new Map(),
    groups: new Map(),
    topics: new Map(),
    rules: new Map(),
    interceptors: new Map(),
    ledger,
  };
}

/** One key for several texts. */
export function keyOf(...parts: readonly (string | null)[]): string {
  return JSON.stringify(parts);
}

/** A call makes an object, or replaces the one that is there. */
export function hold<T>(held: Held<T> | undefined, value: T, { call }: Request, { ledger }: State): Held<T> {
  if (held === undefined) return { value, by: [call] };
  tellLast(held, call, 'replaced by', ledger);
  held.value = value;
  held.by.push(call);
  return held;
}

/** Takes an object out; undefined if there is none. */
export function take<T>(objects: Map<string, T> | undefined, key: string): T | undefined {
  const found = objects?.get(key);
  objects?.delete(key);
  return found;
}

/** A call has deleted what others made; of `what` no call has made, there was nothing to delete. */
export function tellDeleted(
  made: Pick<Held<unknown>, 'by'> | undefined,
  what: string,
  request: Request,
  state: State,
): void {
  if (made !== undefined) release(made, request, state);
  else
    request.tell(
      'choice',
      `no call before it creates ${what}, so the files do not mention it; if a gateway has it, delete it with a Removal`,
    );
}

export function release(made: Pick<Held<unknown>, 'by'>, { call }: Request, { ledger }: State): void {
  tellLast(made, call, 'deleted by', ledger);
}

function tellLast({ by }: Pick<Held<unknown>, 'by'>, call: number, what: string, ledger: Ledger): void {
  const last = by.at(-1);
  if (last === undefined || last === call) return;
  // Nothing tells which of two files or targets is run first.
  const isSame = ledger.partOf(last) === ledger.partOf(call);
  const order = isSame ? '' : ', if that is run later, as it is taken to be';
  ledger.add([last], isSame ? 'fact' : 'choice', `${what} ${ledger.placeOf(call)}${order}`);
}

/** A virtual cluster exists once a call mentions it. */
export function mention({ clusters }: State, name: string, { call }: Request): void {
  const held = getOrAdd(clusters, name, () => ({ value: undefined, by: [] as number[] }));
  if (held.by.at(-1) !== call) held.by.push(call);
}

export function accountAt({ accounts }: State, vCluster: string, name: string): Account {
  return getOrAdd(accounts, keyOf(vCluster, name), () => ({ vCluster, name }));
}

export function groupAt({ groups }: State, name: string): Group {
  return getOrAdd(groups, name, () => ({ members: new Map(), mentions: [], externalGroups: [] }));
}

/** The topics of a virtual cluster, by name. */
export function topicsIn({ topics }: State, vCluster: string): Map<string, Held<Topic>> {
  return getOrAdd(topics, vCluster, () => new Map<string, Held<Topic>>());
}

export function putTopicAt(
  vCluster: string,
  name: string,
  topic: Topic,
  request: Request,
  state: State,
): void {
  mention(state, vCluster, request);
  const topics = topicsIn(state, vCluster);
  topics.set(name, hold(topics.get(name), topic, request, state));
}

/** The concentration rules of a virtual cluster, by pattern or name. */
export function rulesIn({ rules }: State, vCluster: string): Map<string, Held<Rule>> {
  return getOrAdd(rules, vCluster, () => new Map<string, Held<Rule>>());
}

export function putRuleAt(vCluster: string, rule: Rule, request: Request, state: State): void {
  mention(state, vCluster, request);
  const rules = rulesIn(state, vCluster);
  const key = rule.name === undefined ? keyOf(null, rule.pattern) : keyOf(rule.name);
  rules.set(key, hold(rules.get(key), rule, request, state));
}

export function keyOfInterceptor(name: string, { vCluster, group, username }: Scope): string {
  return keyOf(name, vCluster, group, username);
}

export function putInterceptorAt(interceptor: Interceptor, request: Request, state: State): void {
  const { name, scope } = interceptor;
  if (scope.vCluster !== null) mention(state, scope.vCluster, request);
  if (scope.group !== null) groupAt(state, scope.group).mentions.push(request.call);
  const key = keyOfInterceptor(name, scope);
  state.interceptors.set(key, hold(state.interceptors.get(key), interceptor, request, state));
}

/** A request, as the handler of its route gets it. */
export type Request = {
  readonly call: number;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Json | undefined;
  readonly tell: (note: Note, text: string) => void;
};
export type Handler = (request: Request, state: State) => void;
