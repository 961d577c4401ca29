import { claimsReader, reachFor } from './claim-reader.ts';
import { getOrAdd, memoize } from '../model/collect.ts';
import type { ChainLink, Principal } from '../model/principal.ts';
import { isAllOf, type Claim } from './claims.ts';
import { compareLimits } from './compare-limits.ts';
import {
  areApart,
  areContained,
  isCovered,
  reachOf,
  type Names,
  type Reach,
  type Topics,
  topicsNamedIn,
} from './reach.ts';
import { type JudgeOptions } from './weakening.ts';

/** A part of what an interceptor protects for a principal: one claim, perhaps on some of its topics only. */
export type ProtectedPart = {
  readonly protection: string;
  readonly by: ChainLink;
  readonly claim: Claim;
  /** Of these topics; undefined for all that the claim applies to. */
  readonly topics?: Topics | undefined;
  readonly reach: Reach;
};

type PartJudge = {
  /** What an interceptor protects: each claim as a whole, and on the topics that one of the others names. */
  readonly partsOf: (
    link: ChainLink,
    others: readonly ChainLink[],
    principal: Principal,
  ) => readonly ProtectedPart[];
  /** Whether an interceptor alone protects a part as strongly, as far as that is certain. */
  readonly holds: (part: ProtectedPart, link: ChainLink, principal: Principal) => boolean;
  /** Whether an interceptor protects the same, perhaps less strongly, on some of the same topics. */
  readonly touches: (part: ProtectedPart, link: ChainLink, principal: Principal) => boolean;
};

/** Judges parts of protections one interceptor at a time: of several that protect a part together, it does not know. */
export function partJudge({ protectionOf, kinds }: Omit<JudgeOptions, 'topicsIn'>): PartJudge {
  const read = claimsReader(kinds);
  const alike = ({ by, claim, protection }: ProtectedPart, link: ChainLink): readonly Claim[] =>
    link.pluginClass === by.pluginClass && protectionOf(link).includes(protection)
      ? read(link).filter(
          // An absent list may be of all: whether it is, is not documented.
          (one) =>
            isAllOf(one, claim) ||
            (one.facet === claim.facet && (one.name === claim.name || (one.isVague && one.name === null))),
        )
      : [];
  // Clients have many interceptors in common, whose patterns are compared once.
  const known = new Map<string, boolean>();
  const isSmaller = (topics: Topics, all: Names): boolean =>
    JSON.stringify(topics) !== JSON.stringify(all) &&
    getOrAdd(known, JSON.stringify([topics, all]), () => areContained(topics, [all], 'topic') === 'yes');
  const named = memoize((link: ChainLink) =>
    read(link).flatMap(({ limits }) => topicsNamedIn(reachOf(limits).get('topic'))),
  );
  return {
    partsOf: (link, others, principal) => {
      const near = others.filter(({ pluginClass }) => pluginClass === link.pluginClass).flatMap(named);
      const topics = new Map(near.map((one) => [JSON.stringify(one), one]));
      return protectionOf(link).flatMap((protection) =>
        read(link).flatMap((claim): readonly ProtectedPart[] => {
          const reach = reachFor(claim, principal);
          if (reach === undefined || [...reach.values()].some(({ type }) => type === 'none')) return [];
          const whole = { protection, by: link, claim, reach };
          const all = reach.get('topic');
          if (all === undefined) return [whole];
          const within = [...topics.values()].filter((one) => isSmaller(one, all));
          const onlyOn = (one: Topics): Reach => new Map([...reach, ['topic', one]]);
          return [whole, ...within.map((one) => ({ ...whole, topics: one, reach: onlyOn(one) }))];
        }),
      );
    },
    holds: (part, link, principal) =>
      alike(part, link).some((claim) => {
        const reach = reachFor(claim, principal);
        return (
          reach !== undefined &&
          compareLimits(part.claim, claim).verdict === 'yes' &&
          isCovered(part.reach, [reach]) === 'yes'
        );
      }),
    touches: (part, link, principal) =>
      alike(part, link).some((claim) => {
        const reach = reachFor(claim, principal);
        return reach !== undefined && !areApart(part.reach, reach);
      }),
  };
}
