import { list } from '../../model/text/list.ts';
import type { PrincipalRecord } from './effective-report.ts';

/** Principals with the same lists, in the order of the first of each group. */
export function groupPrincipals<T extends PrincipalRecord>(
  principals: Iterable<T>,
  listsOf: (principal: T) => readonly (readonly unknown[])[],
): readonly (readonly [T, ...T[]])[] {
  const numbers = new Map<readonly unknown[], number>();
  const numberOf = (one: readonly unknown[]): number => {
    const number = numbers.get(one) ?? numbers.size;
    numbers.set(one, number);
    return number;
  };
  const groups = new Map<string, [T, ...T[]]>();
  for (const one of principals) {
    const key = listsOf(one).map(numberOf).join();
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return [...groups.values()];
}

/** A principal or several, for people: `3 principals of prod: anybody else, ann and bob`. */
export function namePrincipals(group: readonly [PrincipalRecord, ...PrincipalRecord[]]): string {
  const [first, ...others] = group;
  if (others.length === 0) {
    const { groups } = first;
    const noun = groups.length === 1 ? 'group' : 'groups';
    return `${nameIn(first)}${groups.length === 0 ? '' : ` (${noun} ${list(groups)})`}`;
  }
  const clusters = new Set(group.map(({ virtualCluster }) => virtualCluster));
  const isOne = clusters.size === 1;
  // Anybody else is most of the clients, so nothing may hide them.
  const sorted = [
    ...group.filter(({ username }) => username === null),
    ...group.filter(({ username }) => username !== null),
  ];
  const names = list(sorted.map(isOne ? nameOf : nameIn));
  const where = isOne ? first.virtualCluster : `${clusters.size} virtual clusters`;
  return `${group.length} principals of ${where}: ${names}`;
}

function nameIn(principal: PrincipalRecord): string {
  return `${nameOf(principal)} in ${principal.virtualCluster}`;
}

function nameOf({ username, externalGroup }: PrincipalRecord): string {
  if (externalGroup === undefined) return username ?? 'anybody else';
  return `${username ?? 'anybody'} of the external group ${externalGroup}`;
}
