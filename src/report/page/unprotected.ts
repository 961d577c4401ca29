import { groupBy } from '../../model/collect.ts';
import { list } from '../../model/text/list.ts';
import { namePrincipals, nameProtection } from '../../plan/change/name-principals.ts';
import type { UnprotectedRecord } from '../../outcome/apply.ts';

/** Up to this many groups of principals are told of. */
const MOST_GROUPS = 20;

/** Who lacks which protection now, as sentences without a full stop: one for all who lost the same. */
export function describeUnprotected(all: readonly UnprotectedRecord[]): readonly string[] {
  const groups = [
    ...groupBy(all, ({ protection, lost, from }) => JSON.stringify([protection, lost, from])).values(),
  ];
  const told = groups.slice(0, MOST_GROUPS).map((group) => {
    const [{ protection, lost, from }] = group;
    const have = group.length === 1 ? 'has' : 'have';
    const [one, ...others] = lost;
    const isItself = others.length === 0 && one === from;
    return `${namePrincipals(group)} ${have} no ${nameProtection(protection)}, which ${list(lost)} gave until ${isItself ? 'it' : from} changed`;
  });
  const more = groups.length - told.length;
  return more === 0 ? told : [...told, `and ${more} more; -o json lists all`];
}
