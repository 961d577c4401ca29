import { claimsReader, reachFor } from './claim-reader.ts';
import { isAlike } from './claims.ts';
import { hasHidden, HIDDEN } from '../model/secrets/secrets.ts';
import type { Chain, ChainLink, Principal } from '../model/principal.ts';
import type { Claim } from './claims.ts';
import { compareLimits, dependOnUnknown, type Applied } from './compare-limits.ts';
import {
  ALL,
  areApart,
  areContained,
  holds,
  nameIndex,
  type Reach,
  stronger,
  type Topics,
  type Verdict,
  weaker,
  valueIn,
} from './reach.ts';
import { variantsOf } from './topics.ts';
import { type JudgeOptions, type Weakened } from './weakening.ts';

/**
 * Names of one topic: those that clients have for it, and one that they get. Of a hidden topic it may be any. What is stored in it
 * is of topics with names of their own.
 */
export type TopicNames = {
  readonly was: readonly string[] | typeof HIDDEN;
  /** Whether no object gives it these names: they begin with the virtual cluster, or are physical. */
  readonly isOwn?: true;
  readonly stored: readonly Topics[];
  /** What was stored in it before, and seen by this name. */
  readonly shown?: readonly Topics[] | undefined;
  /** The virtual cluster whose clients have the names, where it is not that of those who get the other one. */
  readonly of?: string;
  readonly is: string;
};

/** Something that protects a topic by the name that clients have for it, and whether something else does by the other name. */
export type ByName = Pick<Weakened, 'protection' | 'by' | 'claim'> & {
  readonly verdict: Verdict;
  /** What certainly protects it as strongly by the other name. */
  readonly holders: readonly ChainLink[];
  /** What protects it less by the other name, or in another way: what is decrypted may be masked. */
  readonly left: readonly Pick<Weakened, 'protection' | 'by' | 'claim'>[];
  readonly isHidden: boolean;
};

/**
 * Judges what a chain protects of a topic by one name: whether the chain after a change protects it as strongly by another name.
 * Interceptors know topics by the names that clients use. What follows from the chains alone is found once for all names.
 */
export function otherNameJudge({ protectionOf, kinds }: Omit<JudgeOptions, 'topicsIn'>) {
  const read = claimsReader(kinds);
  const variantOf = variantsOf(kinds);
  return (
    { before, after }: { readonly before: Chain; readonly after: Chain },
    principal: Principal,
  ): ((names: TopicNames) => readonly ByName[]) => {
    const claimsIn = (chain: Chain, protection: string) => {
      const all = chain.flatMap(({ one: link }) =>
        protectionOf(link).includes(protection)
          ? read(link).flatMap((claim) => {
              const reach = reachFor(claim, principal);
              return reach === undefined ? [] : [{ link, claim, reach }];
            })
          : [],
      );
      return { all, near: nameIndex(all, ({ reach }) => reach.get('topic')) };
    };
    const addresses = new Set(before.map(({ one }) => one.address));
    const protections = [...new Set(before.flatMap(({ one }) => protectionOf(one)))].map((protection) => ({
      protection,
      then: claimsIn(before, protection),
      now: claimsIn(after, protection),
    }));
    const instead = new Map(
      after.flatMap(({ one }) => {
        const undoes = variantOf(one.pluginClass)?.undoes;
        return undoes === undefined
          ? []
          : [[undoes.protection, { protection: undoes.after, now: claimsIn(after, undoes.after) }] as const];
      }),
    );
    const leftBy = (
      is: string,
      { protection, now }: { readonly protection: string; readonly now: ReturnType<typeof claimsIn> },
      isLeft: (one: Applied) => boolean,
    ): ByName['left'] =>
      now.near([is]).flatMap((one) => {
        const isSure = isLeft(one) && holdsTopic(one.reach, is) === 'yes';
        return isSure ? [{ protection, by: one.link, claim: one.claim }] : [];
      });
    return ({ was, isOwn, stored, shown = [], of, is }) =>
      protections.flatMap(({ protection, then, now }) => {
        const isProtected = (name: string, as: Claim): boolean =>
          then
            .near([name])
            .some(
              ({ claim, reach }) =>
                isAlike(claim, as) &&
                holdsTopic(reach, name) === 'yes' &&
                compareLimits(as, claim).verdict !== 'no',
            );
        const isAny = was === HIDDEN || stored.length > 0;
        return (isAny ? then.all : then.near(was)).flatMap(
          ({ link: by, claim, reach }): readonly ByName[] => {
            // A name by which it was read without the protection before makes another one no worse.
            if (!reach.has('topic')) return [];
            const isSame = ({ link, claim: own }: Applied): boolean =>
              link.pluginClass === by.pluginClass && isAlike(own, claim);
            if (was !== HIDDEN) {
              const isNamed = was.some((name) => holdsTopic(reach, name) === 'yes');
              const isJudged = reach.get('topic')?.type !== 'unknown';
              const isKept = (topics: Reach): boolean =>
                of !== undefined || now.all.some((one) => isSame(one) && !areApart(one.reach, topics));
              const isStored =
                isJudged &&
                areContained(reach.get('topic') ?? ALL, shown, 'topic') !== 'yes' &&
                stored.some((one) => {
                  const topics: Reach = new Map([['topic', one]]);
                  const isNew = areContained(one, shown, 'topic') !== 'yes';
                  return isNew && !areApart(reach, topics) && isKept(topics);
                });
              if (!isNamed && !isStored) return [];
              const isOpen = !was.every((name) => isProtected(name, claim));
              if (isOpen && !(isOwn && stored.length > 0)) return [];
            }
            const holders: ChainLink[] = [];
            let verdict: Verdict = 'no';
            let isHidden = was === HIDDEN || hasHidden(valueIn(reach.get('topic') ?? ALL));
            for (const other of now.near([is])) {
              const { link, claim: own } = other;
              const isOther = link.pluginClass !== by.pluginClass && !addresses.has(link.address);
              const isPerhaps =
                isOther || (link.pluginClass === by.pluginClass && (own.isVague || claim.isVague));
              const kept = isSame(other) ? compareLimits(claim, own).verdict : isPerhaps ? 'unknown' : 'no';
              const found = weaker(kept, holdsTopic(other.reach, is));
              if (found === 'yes') holders.push(link);
              const compared = { ...other, verdict: kept, failing: [] };
              if (found === 'unknown' && dependOnUnknown({ link: by, claim, reach }, compared))
                isHidden = true;
              verdict = stronger(verdict, found);
            }
            const less = verdict === 'yes' ? [] : leftBy(is, { protection, now }, isSame);
            const other = instead.get(protection);
            const isAbout = (one: Applied): boolean => [null, one.claim.name].includes(claim.name);
            const left = other ? [...less, ...leftBy(is, other, isAbout)] : less;
            return [{ protection, by, claim, verdict, holders, left, isHidden }];
          },
        );
      });
  };
}

/** Finds out whether an interceptor certainly protects by another name what a claim does. */
export function nameHolder({ protectionOf, kinds }: Omit<JudgeOptions, 'topicsIn'>) {
  const read = claimsReader(kinds);
  return (
    { protection, by, claim }: Pick<ByName, 'protection' | 'by' | 'claim'>,
    is: string,
    principal: Principal,
  ) =>
    (link: ChainLink): boolean =>
      link.pluginClass === by.pluginClass &&
      protectionOf(link).includes(protection) &&
      read(link).some((own) => {
        const reach = isAlike(own, claim) ? reachFor(own, principal) : undefined;
        if (reach === undefined || holdsTopic(reach, is) !== 'yes') return false;
        return compareLimits(claim, own).verdict === 'yes';
      });
}

function holdsTopic(reach: Reach, topic: string): Verdict {
  const names = reach.get('topic');
  return names === undefined ? 'yes' : holds(names, topic);
}
