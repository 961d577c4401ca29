import { memoize } from '../model/collect.ts';
import type { KindSet } from '../model/kind.ts';
import type { Chain, ChainLink, Principal } from '../model/principal.ts';
import type { Axis, Strength } from '../model/strength.ts';
import { claimsOf, type Claim } from './claims.ts';
import { ALL, holds, reachOf, sameNames, startIndex, type Names, type Reach } from './reach.ts';
import { variantsOf } from './topics.ts';

/** Reads what interceptors protect, each once. */
export const claimsReader = memoize((kinds: KindSet): ((link: ChainLink) => readonly Claim[]) => {
  const variantOf = variantsOf(kinds);
  return memoize(({ pluginClass, config }: ChainLink) => claimsOf(variantOf(pluginClass)?.strength, config));
});

/**
 * Finds out whether what an interceptor protects depends on names of clients. Most classes have no such limit, and their configs are not
 * read.
 */
export function namesReader(kinds: KindSet): (link: ChainLink, axes: readonly Axis[]) => boolean {
  const [variantOf, read] = [variantsOf(kinds), claimsReader(kinds)];
  return (link, axes) => {
    const strength = variantOf(link.pluginClass)?.strength;
    const isOne = (field: Strength | undefined): boolean =>
      field?.type === 'reach' && axes.includes(field.axis);
    const canName = strength?.type === 'object' && Object.values(strength.fields).some(isOne);
    const doesName = ({ limits }: Claim): boolean =>
      axes.some((axis) => (reachOf(limits).get(axis)?.type ?? 'all') !== 'all');
    return canName && read(link).some(doesName);
  };
}

/** The topics of a claim. */
export function topicsOfClaim(claim: Claim | undefined): Names {
  return (claim && reachOf(claim.limits).get('topic')) ?? ALL;
}

/** Finds those of interceptors that have perhaps something to do with some topics, by how these begin; in their order. */
export type NearTopics = (topics: Names) => readonly ChainLink[];

/** Reads which interceptors have perhaps topics in common, so that not each has to be compared with each. */
export const nearReader = memoize((kinds: KindSet) => {
  const read = claimsReader(kinds);
  const topicsOf = memoize((link: ChainLink): Names => {
    const [first = ALL, ...others] = read(link).map(topicsOfClaim);
    return others.every((one) => sameNames(one, first)) ? first : ALL;
  });
  return { topicsOf, near: (links: readonly ChainLink[]): NearTopics => startIndex(links, topicsOf) };
});

/** Whether what chains protect depends on the name of a user. */
export function dependOnUser(chains: readonly Chain[], kinds: KindSet): boolean {
  const names = namesReader(kinds);
  return chains.some((chain) => chain.some(({ one }) => names(one, ['username'])));
}

/** What a claim applies to for a principal; undefined if not to the principal at all. */
export function reachFor({ limits }: Claim, { virtualCluster, username }: Principal): Reach | undefined {
  const reach = reachOf(limits);
  const known: readonly (readonly [Axis, string | null])[] = [
    ['virtualCluster', virtualCluster],
    ['username', username],
  ];
  const certain = new Set<Axis>();
  for (const [axis, name] of known) {
    const names = reach.get(axis);
    if (names === undefined || name === null) continue;
    const verdict = holds(names, name);
    if (verdict === 'no') return undefined;
    if (verdict === 'yes') certain.add(axis);
  }
  return certain.size === 0 ? reach : new Map([...reach].filter(([axis]) => !certain.has(axis)));
}
