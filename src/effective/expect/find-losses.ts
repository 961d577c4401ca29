import { addTo, memoize } from '../../model/collect.ts';
import type { ChainLink } from '../../model/principal.ts';
import type { Problem } from '../../model/problem.ts';
import type { TestCase } from '../../model/test-case.ts';
import type { Principal } from '../../model/principal.ts';
import { failure } from './failure.ts';
import { knownPrincipals, linksOf, namePrincipal, type Tested } from './tested.ts';

/** Sorts of protection that principals had before the plan, and do not have after it. */
export function findLosses(
  { as: { groups }, expect: { noLastingLoss: at } }: TestCase,
  principals: readonly Principal[],
  { state, before, protectionOf }: Tested,
): readonly Problem[] {
  if (at === undefined || before === undefined) return [];
  const sortsOf = memoize(
    (links: readonly ChainLink[]): ReadonlySet<string> => new Set(links.flatMap(protectionOf)),
  );
  const [linksBefore, linksAfter] = [linksOf(before), linksOf(state)];
  const losers = new Map<string, Principal[]>();
  const was = new Map(knownPrincipals(before).map((one) => [namePrincipal(one), one]));
  for (const one of principals) {
    const left = sortsOf(linksAfter(one));
    const earlier = groups === undefined ? was.get(namePrincipal(one)) : undefined;
    const had = sortsOf(linksBefore(earlier ?? one));
    const lost = [...had].filter((sort) => !left.has(sort));
    if (lost.length === 0) continue;
    addTo(losers, lost.sort().join(', '), one);
  }
  return [...losers].map(([lost, group]) => failure(at, group, `loses ${lost} for good`));
}
