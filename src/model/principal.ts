import { addTo } from './collect.ts';
import type { JsonObject } from './json/json.ts';
import type { Address, Scope } from './resource.ts';

/** A client of the gateway: what interceptors are chosen by. */
export type Principal = {
  readonly virtualCluster: string;
  /** Null: anybody in the virtual cluster whose name no rule has. */
  readonly username: string | null;
  readonly groups: readonly string[];
  /** Of anybody in a group of the identity provider. */
  readonly externalGroup?: string | undefined;
  /**
   * Of a client that changes give this account: its account before. Of whoever logs in with an external name, also that name, which
   * is the account before where there was none.
   */
  readonly identity?: { readonly externalName?: string | undefined; readonly was: Named } | undefined;
};

/** All other clients of a virtual cluster, or the members of an external group: not one client. */
export function standsForMany({ username, identity }: Principal): boolean {
  return username === null && identity === undefined;
}

/** The virtual cluster that every gateway has (gateway-api B.3). */
export const PASSTHROUGH = 'passthrough';

/** A fact of a resource about principals and their interceptors; the form of its kind gives them. */
export type Fact =
  | { readonly type: 'virtual-cluster'; readonly name: string }
  | ({ readonly type: 'account' } & Named)
  | ({ readonly type: 'member'; readonly group: string } & Named)
  /** Clients that the identity provider says are in this group of its own. */
  | { readonly type: 'external-group'; readonly group: string; readonly name: string }
  /** The client that the identity provider calls so is this account. */
  | ({ readonly type: 'external-name'; readonly name: string } & Named)
  | ({ readonly type: 'interceptor' } & Omit<ChainLink, 'address' | 'name'>);
/** An account. */
export type Named = { readonly virtualCluster: string; readonly username: string };

/** An interceptor for the principals in its scope, which a more specific one of the same name overrides. */
export type Scoped = { readonly name: string; readonly scope: Scope; readonly priority: number };

/** An interceptor, as far as chains are about it. */
export type ChainLink = Scoped & {
  readonly address: Address;
  readonly pluginClass: string;
  readonly config: JsonObject;
  /** The sorts of protection that its class gives, by the plugin catalogue; none where its config protects nothing. */
  readonly protects: readonly ProtectionSort[];
  /** Its config leaves out the client of the chain: it runs, and gives no protection at all. */
  readonly isIdle?: true;
  /** Its priority is hidden, and another one after the changes: before these, nothing runs later than it should. */
  readonly isMoved?: true;
};

/** The sorts of protection that clients can lose, by the plugin catalogue (gateway-api E). */
export const PROTECTION_SORTS = [
  'encryption',
  'masking',
  'audit',
  'access',
  'safeguard',
  'data-quality',
] as const;
export type ProtectionSort = (typeof PROTECTION_SORTS)[number];

/** An interceptor of a chain, and those of its name that are for the principal, too, and do not run because of it. */
export type Link<T> = { readonly one: T; readonly overrides: readonly T[] };

/** The interceptors that run for a principal, in order, each with those that it overrides. */
export type Chain = readonly Link<ChainLink>[];
export type Chained = { readonly principal: Principal; readonly chain: Chain };

/**
 * The interceptors for a principal, in order: of each name the most specific ones (several for several groups), by ascending
 * priority; equal priorities keep their order (gateway-api B.4).
 */
export function chainFor<T extends Scoped>(principal: Principal, interceptors: Iterable<T>): readonly T[] {
  return explainChain(principal, interceptors).map(({ one }) => one);
}

/** The same, with what each one overrides. */
export function explainChain<T extends Scoped>(
  principal: Principal,
  interceptors: Iterable<T>,
): readonly Link<T>[] {
  const byName = new Map<string, T[]>();
  for (const one of interceptors) if (isFor(principal, one.scope)) addTo(byName, one.name, one);
  return [...byName.values()]
    .flatMap((rivals) => {
      const highest = rivals.reduce((rank, { scope }) => Math.max(rank, rankOf(scope)), 0);
      const overrides = rivals.filter(({ scope }) => rankOf(scope) < highest);
      return rivals.filter(({ scope }) => rankOf(scope) === highest).map((one) => ({ one, overrides }));
    })
    .sort(({ one }, { one: other }) => one.priority - other.priority);
}

/** How specific a scope is: 0 for global, else the number of its last axis with a value. Axes are sorted from wide to narrow. */
export function rankOf(scope: Scope): number {
  return Object.values(scope).findLastIndex((value) => value !== null) + 1;
}

function isFor(principal: Principal, { vCluster = null, group = null, username = null }: Scope): boolean {
  return (
    (vCluster === null || vCluster === principal.virtualCluster) &&
    (group === null || principal.groups.includes(group)) &&
    (username === null || username === principal.username)
  );
}
