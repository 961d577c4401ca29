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
  local?: Held<{ readonly lifetimes: readonly number[] }> | undefined;
};

/** A virtual cluster as the last of `calls` makes it. */
export type Cluster = { readonly spec: JsonObject; readonly calls: readonly number[] };

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
export type Interceptor = { readonly name: string; readonly scope: Scope; readonly spec: JsonObject };

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

/** A map in a map, made when it is needed. */
export function within<T>(maps: Map<string, Map<string, T>>, key: string): Map<string, T> {
  return getOrAdd(maps, key, () => new Map<string, T>());
}

/** A call makes an object, or replaces the one that is there. */
export function hold<T>(held: Held<T> | undefined, value: T, call: number, ledger: Ledger): Held<T> {
  if (held === undefined) return { value, by: [call] };
  tellLast(held, call, 'replaced by', ledger);
  held.value = value;
  held.by.push(call);
  return held;
}

/** A call takes an object away. */
export function release<T>(held: Held<T>, call: number, ledger: Ledger): void {
  tellLast(held, call, 'deleted by', ledger);
}

function tellLast<T>({ by }: Held<T>, call: number, what: string, ledger: Ledger): void {
  const last = by.at(-1);
  if (last !== undefined && last !== call) ledger.add(last, 'fact', `${what} ${ledger.placeOf(call)}`);
}

/** A virtual cluster exists once a call mentions it. */
export function mention({ clusters }: State, name: string, call: number): void {
  const held = clusters.get(name);
  if (held === undefined) clusters.set(name, { value: undefined, by: [call] });
  else if (held.by.at(-1) !== call) held.by.push(call);
}

export function accountAt({ accounts }: State, vCluster: string, name: string): Account {
  return getOrAdd(accounts, keyOf(vCluster, name), () => ({ vCluster, name }));
}

export function groupAt({ groups }: State, name: string): Group {
  return getOrAdd(groups, name, () => ({ members: new Map(), mentions: [], externalGroups: [] }));
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

/** There was nothing to delete. */
export function tellAbsent({ tell }: Request, what: string): void {
  tell(
    'choice',
    `no call before it creates ${what}, so the files do not mention it; if a gateway has it, delete it with a Removal`,
  );
}
