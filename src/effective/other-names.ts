import { memoize } from '../model/collect.ts';
import type { Chain, ChainLink, Principal } from '../model/principal.ts';
import { claimsOf, type Claim } from './claims.ts';
import { compareLimits } from './compare-limits.ts';
import { holds, stronger, weaker, type Reach, type Verdict } from './reach.ts';
import { reachFor, type JudgeOptions, type Weakened } from './weakening.ts';

/** Names of one topic: those that clients have for it, at least one, and one that they get. */
export type TopicNames = { readonly was: readonly string[]; readonly is: string };

/** Something that protects a topic by the name that clients have for it, and not by the other name. */
export type Unprotected = Pick<Weakened, 'protection' | 'certainty' | 'by' | 'claim'>;

/**
 * Judges what a chain protects of a topic by one name, where the chain after a change does not protect it as strongly by another
 * name: interceptors know topics by the names that clients use.
 */
export function otherNameJudge({
  protectionOf,
  strengthOf,
}: Pick<JudgeOptions, 'protectionOf' | 'strengthOf'>) {
  const read = memoize((link: ChainLink) => claimsOf(strengthOf(link.pluginClass), link.config));
  return (
    { before, after }: { readonly before: Chain; readonly after: Chain },
    principal: Principal,
    { was, is }: TopicNames,
  ): readonly Unprotected[] => {
    const claimsIn = (chain: Chain, protection: string) =>
      chain.flatMap(({ one: link }) =>
        protectionOf(link).includes(protection)
          ? read(link).flatMap((claim) => {
              const reach = reachFor(claim, principal);
              return reach === undefined ? [] : [{ link, claim, reach }];
            })
          : [],
      );
    const addresses = new Set(before.map(({ one }) => one.address));
    const protections = new Set(before.flatMap(({ one }) => protectionOf(one)));
    return [...protections].flatMap((protection) => {
      const [then, now] = [claimsIn(before, protection), claimsIn(after, protection)];
      const isProtected = (name: string, { facet, name: field }: Claim): boolean =>
        then.some(
          ({ claim, reach }) =>
            claim.facet === facet && claim.name === field && holdsTopic(reach, name) === 'yes',
        );
      return then.flatMap(({ link: by, claim, reach }): readonly Unprotected[] => {
        // A name by which it was read without the protection before makes another one no worse.
        if (!reach.has('topic') || !was.some((name) => holdsTopic(reach, name) === 'yes')) return [];
        if (!was.every((name) => isProtected(name, claim))) return [];
        const found = now.reduce<Verdict>((best, other) => {
          const { link, claim: own } = other;
          const isSame =
            link.pluginClass === by.pluginClass && own.facet === claim.facet && own.name === claim.name;
          const isOther = link.pluginClass !== by.pluginClass && !addresses.has(link.address);
          const isPerhaps =
            isOther || (link.pluginClass === by.pluginClass && (own.isVague || claim.isVague));
          const verdict = isSame ? compareLimits(claim, own).verdict : isPerhaps ? 'unknown' : 'no';
          return stronger(best, weaker(verdict, holdsTopic(other.reach, is)));
        }, 'no');
        if (found === 'yes') return [];
        return [{ protection, certainty: found === 'no' ? 'weaker' : 'cannot-tell', by, claim }];
      });
    });
  };
}

function holdsTopic(reach: Reach, topic: string): Verdict {
  const names = reach.get('topic');
  return names === undefined ? 'yes' : holds(names, topic);
}
