import { getOrAdd, groupBy } from '../../model/collect.ts';
import { list } from '../../model/text/list.ts';
import { mostFirst, namePrincipal, namePrincipalIn } from '../../plan/change/name-principals.ts';
import { standsForMany, type Principal } from '../../model/principal.ts';
import type { DiffLine } from './edits.ts';

/** Principals with the same lists, in the order of the first of each group. */
export function groupPrincipals<T extends Principal>(
  principals: Iterable<T>,
  listsOf: (principal: T) => readonly (readonly unknown[])[],
): readonly (readonly [T, ...T[]])[] {
  const numbers = new Map<readonly unknown[], number>();
  const numberOf = (one: readonly unknown[]): number => getOrAdd(numbers, one, () => numbers.size);
  return [...groupBy(principals, (one) => listsOf(one).map(numberOf).join()).values()];
}

/** A principal or several, for people: `clients of prod: all other clients, ann and bob`. */
export function namePrincipals(group: readonly [Principal, ...Principal[]]): string {
  const [first, ...others] = group;
  if (others.length === 0) {
    const { groups } = first;
    const noun = groups.length === 1 ? 'group' : 'groups';
    return `${namePrincipalIn(first)}${groups.length === 0 ? '' : ` (${noun} ${list(groups)})`}`;
  }
  const clusters = new Set(group.map(({ virtualCluster }) => virtualCluster));
  const isOne = clusters.size === 1;
  const names = list(mostFirst(group).map(isOne ? namePrincipal : namePrincipalIn));
  const where = isOne ? first.virtualCluster : `${clusters.size} virtual clusters`;
  const count = group.some(standsForMany) ? '' : `${group.length} `;
  return `${count}clients of ${where}: ${names}`;
}

/** What happens to some principals. */
export type Consequence = {
  readonly count: number;
  /** A sentence without a full stop. */
  readonly text: string;
  /** The principals; those that stand for many clients come first. */
  readonly names: readonly string[];
  /** What else there is to know, as sentences. */
  readonly notes: readonly string[];
  readonly lines: readonly DiffLine[];
  /** The objects whose changes cause it; absent: not known. */
  readonly causes?: readonly string[];
};

export function countPrincipals(consequences: readonly Consequence[]): number {
  return consequences.reduce((sum, { count }) => sum + count, 0);
}
