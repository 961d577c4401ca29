import { addTo } from './collect.ts';
import type { Scope } from './resource.ts';

/** An interceptor for the clients in its scope, which a more specific one of the same name overrides. */
export type Scoped = { readonly name: string; readonly scope: Scope; readonly priority: number };

/** A client: its values for each axis of a scope, for example all its groups. */
export type Principal = Readonly<Record<string, readonly string[]>>;

/** An interceptor of a chain, and those of its name that are for the principal, too, and do not run because of it. */
export type Link<T> = { readonly one: T; readonly overrides: readonly T[] };

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

function isFor(principal: Principal, scope: Scope): boolean {
  return Object.entries(scope).every(
    ([axis, value]) => value === null || principal[axis]?.includes(value) === true,
  );
}
