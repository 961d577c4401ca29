import { addTo } from './collect.ts';
import type { Scope } from './resource.ts';

/** Something that runs for those in its scope, and gives way to others of its name. */
export type Scoped = { readonly name: string; readonly scope: Scope; readonly priority: number };

/** A client: its values on each axis of a scope, several where it is in several groups. */
export type Principal = Readonly<Record<string, readonly string[]>>;

/**
 * What runs for a principal, in order: of each name only the most specific, all of them where several are equally
 * specific (several groups); then by ascending priority, equal ones as they came (gateway-api B.4).
 */
export function chainFor<T extends Scoped>(principal: Principal, interceptors: Iterable<T>): readonly T[] {
  const byName = new Map<string, T[]>();
  for (const one of interceptors) if (isFor(principal, one.scope)) addTo(byName, one.name, one);
  return [...byName.values()]
    .flatMap((rivals) => {
      const highest = rivals.reduce((rank, { scope }) => Math.max(rank, rankOf(scope)), 0);
      return rivals.filter(({ scope }) => rankOf(scope) === highest);
    })
    .sort((one, other) => one.priority - other.priority);
}

/**
 * How specific a scope is: 0 for everybody, else the number of its last axis that has a value. A form names the axes from
 * the widest to the narrowest: virtual cluster, group, username.
 */
export function rankOf(scope: Scope): number {
  return Object.values(scope).findLastIndex((value) => value !== null) + 1;
}

function isFor(principal: Principal, scope: Scope): boolean {
  return Object.entries(scope).every(
    ([axis, value]) => value === null || principal[axis]?.includes(value) === true,
  );
}
