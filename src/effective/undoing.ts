import { memoize } from '../model/collect.ts';
import { isList, valueOf } from '../model/json/json.ts';
import type { KindSet, Undoes } from '../model/kind.ts';
import type { ChainLink } from '../model/principal.ts';
import { hasPlaceholder } from '../model/text/placeholder.ts';
import { claimsReader, topicsOfClaim } from './claim-reader.ts';
import { isAlike, type Claim } from './claims.ts';
import { compareLimits } from './compare-limits.ts';
import {
  areApart,
  areContained,
  holds,
  topicsNamedIn,
  weaker,
  type Names,
  type Reach,
  type Topics,
  type Verdict,
} from './reach.ts';
import { variantsOf } from './topics.ts';

/** Reads what interceptors take off of what others protect, as decryption does, and what protects it after that. */
export const undoingReader = memoize((kinds: KindSet) => {
  const variantOf = variantsOf(kinds);
  const read = claimsReader(kinds);
  const undoesOf = ({ pluginClass }: ChainLink): Undoes | undefined => variantOf(pluginClass)?.undoes;
  /** The topics that it takes something off. */
  const topicsOf = memoize((link: ChainLink): Names => topicsOfClaim(read(link)[0]));

  /** Whether an interceptor takes off what a claim is about; its lists name fields of the parts of a record. */
  const takesOff = (link: ChainLink, { facet, name }: Claim): Verdict => {
    const undoes = undoesOf(link);
    if (undoes === undefined) return 'no';
    const lists = Object.entries(undoes.only).flatMap(([part, field]) =>
      facet.startsWith('/record') && !facet.startsWith(`/${part}/`) ? [] : [valueOf(link.config, field)],
    );
    const listed = lists.flatMap((list) => (isList(list) ? list : []));
    if (listed.length === 0 || listed.includes(name)) return 'yes';
    return name === null || listed.some(hasPlaceholder) ? 'unknown' : 'no';
  };

  /** The same, on topics of both, and of others if there are some. */
  const lifts = (link: ChainLink, claim: Claim, topics?: Topics): Verdict => {
    const [names, lifted] = [topicsOfClaim(claim), topicsOf(link)];
    if (isApart(names, lifted)) return 'no';
    if (topics !== undefined && [names, lifted].some((one) => isApart(one, topics))) return 'no';
    const isKnown = names.type !== 'unknown' && lifted.type !== 'unknown';
    return weaker(takesOff(link, claim), isKnown ? 'yes' : 'unknown');
  };
  const liftsAll = (link: ChainLink, claim: Claim): boolean =>
    lifts(link, claim) === 'yes' && areContained(topicsOfClaim(claim), [topicsOf(link)], 'topic') === 'yes';

  /** How an interceptor protects what a claim is about, as strongly, on some of the same topics. */
  const keeping = (link: ChainLink, claim: Claim): readonly Claim[] =>
    read(link).filter((own) => !isApart(topicsOfClaim(own), topicsOfClaim(claim)) && isAsStrong(claim, own));
  const protects = (link: ChainLink, claim: Claim): boolean => keeping(link, claim).length > 0;
  /** Which interceptors of the same class protect it after it is in clear: after all that takes it off, or after one that takes all of it off. */
  const isLate =
    (claim: Claim, { pluginClass }: ChainLink, running: readonly ChainLink[]) =>
    (by: ChainLink): boolean =>
      by.pluginClass === pluginClass &&
      protects(by, claim) &&
      (!running.some((link) => isLater(link, by) && lifts(link, claim) !== 'no') ||
        running.some((link) => !isLater(link, by) && isLater(by, link) && liftsAll(link, claim)));

  return {
    undoesOf,
    isUndoing: (link: ChainLink): boolean => undoesOf(link) !== undefined,
    topicsOf,
    takesOff,
    lifts,
    /** Whether it perhaps takes off what a claim is about of a topic by another name than that of the claim. */
    liftsBy: (link: ChainLink, claim: Claim, name: string): boolean =>
      takesOff(link, claim) !== 'no' && holds(topicsOf(link), name) !== 'no',
    /** The topics that its pattern names one by one. */
    topicsNamed: (link: ChainLink) => topicsNamedIn(topicsOf(link)),
    /** Whether interceptors together are for all that another one or a claim is for. */
    coverAll: (links: readonly ChainLink[], link: ChainLink, claim: Claim): boolean => {
      const outers = links.map(topicsOf);
      return [topicsOf(link), topicsOfClaim(claim)].some(
        (one) => areContained(one, outers, 'topic') === 'yes',
      );
    },
    protects,
    protectsAll: (link: ChainLink, claim: Claim): boolean =>
      areContained(topicsOfClaim(claim), keeping(link, claim).map(topicsOfClaim), 'topic') === 'yes',
    /** Whether one of the class of an interceptor protects, of those that run, what a claim is about after it is in clear. */
    runsLate: (claim: Claim, by: ChainLink, running: readonly ChainLink[]): boolean =>
      running.some(isLate(claim, by, running)),
    /** Where they do. */
    namesLate: (claim: Claim, by: ChainLink, running: readonly ChainLink[]): readonly Names[] =>
      running.filter(isLate(claim, by, running)).flatMap((link) => keeping(link, claim).map(topicsOfClaim)),
  };
});

/** Whether an interceptor perhaps runs after another one: the order of equal priorities is not defined, and a hidden one is no number. */
export function isLater(one: ChainLink, other: ChainLink): boolean {
  return one.isMoved !== true && other.isMoved !== true && !(one.priority < other.priority);
}

/** Whether another claim is about the same, and perhaps protects it as strongly. */
export function isAsStrong(claim: Claim, other: Claim): boolean {
  return isAlike(other, claim) && compareLimits(claim, other).verdict !== 'no';
}

export function isApart(names: Names, others: Names): boolean {
  const [one, other] = [names, others].map((topic): Reach => new Map([['topic', topic]])) as [Reach, Reach]; // one for each
  return areApart(one, other);
}
