import { list } from '../../model/text/list.ts';
import type { PrincipalRecord } from './principal-record.ts';

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
  const names = list(mostFirst(group).map(isOne ? nameOf : nameIn));
  const where = isOne ? first.virtualCluster : `${clusters.size} virtual clusters`;
  return `${group.length} principals of ${where}: ${names}`;
}

/** Principals for a sentence about them. */
export type Principals = {
  /** `12 principals of prod`. */
  readonly subject: string;
  readonly isOne: boolean;
  readonly names: readonly string[];
};

/** Up to this many virtual clusters are named in a sentence. */
const MOST_CLUSTERS = 3;

export function describePrincipals(group: readonly [PrincipalRecord, ...PrincipalRecord[]]): Principals {
  const clusters = [...new Set(group.map(({ virtualCluster }) => virtualCluster))];
  const where =
    clusters.length > MOST_CLUSTERS ? `${clusters.length} virtual clusters` : list(clusters.map(quoteOdd));
  const isOne = group.length === 1;
  return {
    subject: isOne ? nameIn(group[0]) : `${group.length} principals of ${where}`,
    isOne,
    names: mostFirst(group).map(clusters.length === 1 ? nameOf : nameIn),
  };
}

/** Anybody else is most of the clients, so nothing may hide them. */
function mostFirst(group: readonly PrincipalRecord[]): readonly PrincipalRecord[] {
  return [
    ...group.filter(({ username }) => username === null),
    ...group.filter(({ username }) => username !== null),
  ];
}

/** `a, b and 9 more` */
export function listSome(names: readonly string[], most: number): string {
  const more = names.length - most;
  return more > 0 ? `${names.slice(0, most).join(', ')} and ${more} more` : names.join(', ');
}

function nameIn(principal: PrincipalRecord): string {
  return `${nameOf(principal)} in ${quoteOdd(principal.virtualCluster)}`;
}

function nameOf({ username, externalGroup }: PrincipalRecord): string {
  const name = username === null ? undefined : quoteOdd(username);
  if (externalGroup === undefined) return name ?? 'anybody else';
  return `${name ?? 'anybody'} of the external group ${quoteOdd(externalGroup)}`;
}

/** A name in quotes if it could be taken for a part of a sentence. */
export function quoteOdd(name: string): string {
  return /^[\p{L}\p{N}._@:/=+%#~*-]+$/u.test(name) ? name : `"${name.replace(/["\\]/g, '\\$&')}"`;
}
