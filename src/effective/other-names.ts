import { claimsReader, reachFor } from './claim-reader.ts';
import { isAlike } from './claims.ts';
import { memoize } from '../model/collect.ts';
import { hasHidden, HIDDEN } from '../model/secrets/hidden.ts';
import type { Chain, ChainLink, Principal } from '../model/principal.ts';
import { compareLimits, dependOnUnknown, type Applied } from './compare-limits.ts';
import {
  ALL,
  areApart,
  areContained,
  holds,
  nameIndex,
  type Names,
  type Reach,
  stronger,
  type Topics,
  type Verdict,
  weaker,
  valueIn,
} from './reach.ts';
import { isAsStrong, undoingReader } from './undoing.ts';
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
  const { undoesOf } = undoingReader(kinds);
  return (
    { before, after }: { readonly before: Chain; readonly after: Chain },
    principal: Principal,
  ): ((names: TopicNames) => readonly ByName[]) => {
    const claimsIn = (chain: Chain, protection: string): Protecting => {
      const all = chain.flatMap(({ one: link }) =>
        protectionOf(link).includes(protection)
          ? read(link).flatMap((claim) => {
              const reach = reachFor(claim, principal);
              return reach === undefined ? [] : [{ link, claim, reach }];
            })
          : [],
      );
      return { protection, all, near: nameIndex(all, ({ reach }) => reach.get('topic')) };
    };
    const addresses = new Set(before.map(({ one }) => one.address));
    const protections = [...new Set(before.flatMap(({ one }) => protectionOf(one)))].map((protection) => ({
      then: claimsIn(before, protection),
      now: claimsIn(after, protection),
    }));
    const instead = new Map(
      after.flatMap(({ one }) => {
        const undoes = undoesOf(one);
        return undoes === undefined ? [] : [[undoes.protection, claimsIn(after, undoes.after)] as const];
      }),
    );
    return (names) =>
      protections.flatMap(({ then, now }) => {
        const { is, was, stored } = names;
        const { protection } = now;
        const isAny = was === HIDDEN || stored.length > 0;
        return (isAny ? then.all : then.near(was)).flatMap((one): readonly ByName[] => {
          if (!isProtectedBy(one, names, then, now)) return [];
          const { link: by, claim } = one;
          const found = judgeName(one, is, now, (link) => !addresses.has(link.address));
          const less = found.verdict === 'yes' ? [] : leftBy(is, now, (other) => isSame(one, other));
          const other = instead.get(protection);
          const isAbout = (own: Applied): boolean => [null, own.claim.name].includes(claim.name);
          const left = other ? [...less, ...leftBy(is, other, isAbout)] : less;
          return [{ protection, by, claim, ...found, isHidden: found.isHidden || was === HIDDEN, left }];
        });
      });
  };
}

/** What a chain protects of one sort. */
type Protecting = {
  readonly protection: string;
  readonly all: readonly Applied[];
  /** What is perhaps about topics of these names. */
  readonly near: (names: readonly string[]) => readonly Applied[];
};

function isSame({ link: by, claim }: Applied, { link, claim: own }: Applied): boolean {
  return link.pluginClass === by.pluginClass && isAlike(own, claim);
}

/**
 * Whether a claim protects a topic by all names that clients have for it, or what is stored in it. A name by which it was read without
 * the protection before makes another one no worse.
 */
function isProtectedBy(
  one: Applied,
  { was, isOwn, stored, shown = [], of }: TopicNames,
  then: Protecting,
  now: Protecting,
): boolean {
  const { claim, reach } = one;
  const names = reach.get('topic');
  if (names === undefined) return false;
  if (was === HIDDEN) return true;
  const isKept = (topics: Reach): boolean =>
    of !== undefined || now.all.some((own) => isSame(one, own) && !areApart(own.reach, topics));
  const isStored =
    names.type !== 'unknown' &&
    areContained(names, shown, 'topic') !== 'yes' &&
    stored.some((topics) => {
      const only: Reach = new Map([['topic', topics]]);
      const isNew = areContained(topics, shown, 'topic') !== 'yes';
      return isNew && !areApart(reach, only) && isKept(only);
    });
  if (!isStored && !was.some((name) => holds(names, name) === 'yes')) return false;
  const isProtected = (name: string): boolean =>
    then.near([name]).some((own) => isAsStrong(claim, own.claim) && holdsTopic(own.reach, name) === 'yes');
  return was.every(isProtected) || (isOwn === true && stored.length > 0);
}

/** Whether what runs after a change protects by another name what a claim does. */
function judgeName(
  { link: by, claim, reach }: Applied,
  is: string,
  now: Protecting,
  isNew: (link: ChainLink) => boolean,
): Pick<ByName, 'verdict' | 'holders' | 'isHidden'> {
  const holders: ChainLink[] = [];
  let verdict: Verdict = 'no';
  let isHidden = hasHidden(valueIn(reach.get('topic') ?? ALL));
  for (const other of now.near([is])) {
    const { link, claim: own } = other;
    const isOfClass = link.pluginClass === by.pluginClass;
    const isPerhaps = isOfClass ? own.isVague || claim.isVague : isNew(link);
    const isExact = isOfClass && isAlike(own, claim);
    const kept = isExact ? compareLimits(claim, own).verdict : isPerhaps ? 'unknown' : 'no';
    const found = weaker(kept, holdsTopic(other.reach, is));
    if (found === 'yes') holders.push(link);
    const compared = { ...other, verdict: kept, failing: [] };
    if (found === 'unknown' && dependOnUnknown({ link: by, claim, reach }, compared)) isHidden = true;
    verdict = stronger(verdict, found);
  }
  return { verdict, holders, isHidden };
}

/** What certainly protects a topic by a name, of what counts. */
function leftBy(
  is: string,
  { protection, near }: Protecting,
  counts: (one: Applied) => boolean,
): ByName['left'] {
  return near([is]).flatMap((one) =>
    counts(one) && holdsTopic(one.reach, is) === 'yes'
      ? [{ protection, by: one.link, claim: one.claim }]
      : [],
  );
}

/** Finds the topics on which an interceptor certainly protects, for a client, what a claim of another one does. */
export function topicsKept({ protectionOf, kinds }: Omit<JudgeOptions, 'topicsIn'>) {
  const read = claimsReader(kinds);
  return (
    { protection, by, claim }: Pick<ByName, 'protection' | 'by' | 'claim'>,
    principal: Principal,
  ): ((link: ChainLink) => readonly Names[]) =>
    memoize((link: ChainLink) => {
      if (link.pluginClass !== by.pluginClass || !protectionOf(link).includes(protection)) return [];
      return read(link).flatMap((own) => {
        if (!isAlike(own, claim) || compareLimits(claim, own).verdict !== 'yes') return [];
        const reach = reachFor(own, principal);
        return reach === undefined ? [] : [reach.get('topic') ?? ALL];
      });
    });
}

function holdsTopic(reach: Reach, topic: string): Verdict {
  const names = reach.get('topic');
  return names === undefined ? 'yes' : holds(names, topic);
}
