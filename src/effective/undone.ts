import { memoize } from '../model/collect.ts';
import { hasPlaceholder } from '../model/text/placeholder.ts';
import { canonicalText, isList, valueOf, type Json } from '../model/json/json.ts';
import type { Undoes } from '../model/kind.ts';
import { hasHidden, HIDDEN } from '../model/secrets/secrets.ts';
import type { Chain, ChainLink, Principal } from '../model/principal.ts';
import type { Claim } from './claims.ts';
import {
  areApart,
  areContained,
  holds,
  holdsAll,
  reachOf,
  type Names,
  type Reach,
  type Topics,
  type Verdict,
  stronger,
  weaker,
} from './reach.ts';
import { variantsOf } from './topics.ts';
import { claimsReader, textOfTopics, type JudgeOptions, type Weakened, reachFor } from './weakening.ts';
import { compareLimits } from './compare-limits.ts';

/** Something that is protected, and that an interceptor takes the protection off for a client: decryption, for example. */
export type Undone = Pick<Weakened, 'protection' | 'certainty' | 'by' | 'claim'> & {
  /** The interceptor that takes it off. */
  readonly through: ChainLink;
  /** The known topics where that is so. */
  readonly topics: readonly string[];
};

/**
 * Finds what a client gets without its protection after a change and did not get so before: of what these interceptors protect,
 * for whomever they do it, since what one client encrypts another one reads.
 */
export function undoneFinder({ protectionOf, kinds, topicsIn }: JudgeOptions) {
  const variantOf = variantsOf(kinds);
  const read = claimsReader(kinds);
  const topicsOf = memoize((link: ChainLink): Names => namesOf(read(link)[0]));
  const isUndoing = ({ one }: Chain[number]): boolean => variantOf(one.pluginClass)?.undoes !== undefined;

  const find = (
    { before, after }: { readonly before: Chain; readonly after: Chain },
    { virtualCluster }: Principal,
    protecting: readonly ChainLink[],
  ): readonly Undone[] => {
    const former = before.filter(isUndoing).map(({ one }) => one);
    const texts = new Set(former.map(textOf));
    const through = after.filter((one) => isUndoing(one) && !texts.has(textOf(one.one)));
    const taken = through.flatMap(({ one: link }) => {
      const undoes = variantOf(link.pluginClass)?.undoes;
      if (undoes === undefined) return [];
      const near = protecting.filter(
        (one) =>
          protectionOf(one).includes(undoes.protection) &&
          (one.scope['vCluster'] ?? virtualCluster) === virtualCluster,
      );
      return near.flatMap((by) =>
        read(by).flatMap((claim): readonly Undone[] => {
          const verdict = takesOff(undoes, link, claim);
          if (verdict === 'no') return [];
          const already = former.filter(
            (one) => one.pluginClass === link.pluginClass && takesOff(undoes, one, claim) === 'yes',
          );
          const [names, lifted] = [namesOf(claim), topicsOf(link)];
          const topics = findTopics(names, lifted, already.map(topicsOf), topicsIn(virtualCluster));
          if (topics === undefined) return [];
          const isSure = verdict === 'yes' && names.type !== 'unknown' && lifted.type !== 'unknown';
          const isHidden = [link.config, claim.name, valueIn(names)].some(hasHidden);
          const certainty = isSure ? 'weaker' : isHidden ? 'hidden' : 'cannot-tell';
          return [{ protection: undoes.protection, certainty, by, claim, through: link, topics }];
        }),
      );
    });
    return [...taken, ...findOvertaken(before, after, topicsIn(virtualCluster))];
  };

  /** What runs on a record, such as a mask, before it is decrypted, and ran after that. What it does then is not documented. */
  const findOvertaken = (before: Chain, after: Chain, known: readonly Topics[]): readonly Undone[] => {
    const formerOf = (link: ChainLink): ChainLink | undefined =>
      before.find(({ one }) => one.address === link.address)?.one;
    const wasLater = (link: ChainLink, by: ChainLink): boolean => {
      const [one, other] = [formerOf(link), formerOf(by)];
      return other === undefined || (one !== undefined && isLater(one, other));
    };
    return after.filter(isUndoing).flatMap(({ one: link }) => {
      const undoes = variantOf(link.pluginClass)?.undoes;
      if (undoes === undefined) return [];
      const overtaken = after.filter(
        ({ one: by }) => protectionOf(by).includes(undoes.after) && isLater(link, by) && !wasLater(link, by),
      );
      return overtaken.flatMap(({ one: by }) =>
        read(by).flatMap((claim): readonly Undone[] => {
          const topics = findTopics(namesOf(claim), topicsOf(link), [], known);
          if (topics === undefined || takesOff(undoes, link, claim) === 'no') return [];
          return [{ protection: undoes.after, certainty: 'cannot-tell', by, claim, through: link, topics }];
        }),
      );
    });
  };
  return { isUndoing, find };
}

/** Whether an interceptor perhaps runs after another one: the order of equal priorities is not defined. */
function isLater({ priority: one }: ChainLink, { priority: other }: ChainLink): boolean {
  return typeof one === 'number' && typeof other === 'number' && one >= other;
}

/** Whether an interceptor takes off what a claim is about; its lists name fields of the parts of a record. */
function takesOff({ only }: Undoes, { config }: ChainLink, { facet, name }: Claim): Verdict {
  const lists = Object.entries(only).flatMap(([part, field]) =>
    facet.startsWith('/record') && !facet.startsWith(`/${part}/`) ? [] : [valueOf(config, field)],
  );
  const listed = lists.flatMap((list) => (isList(list) ? list : []));
  if (listed.length === 0 || listed.includes(name)) return 'yes';
  return name === null || listed.some(hasPlaceholder) ? 'unknown' : 'no';
}

function namesOf(claim: Claim | undefined): Names {
  return (claim && reachOf(claim.limits).get('topic')) ?? { type: 'all' };
}

function valueIn(names: Names): Json | undefined {
  return names.type === 'unknown' ? names.value : undefined;
}

/** The known topics among both that are not among others; undefined if there can be none. */
function findTopics(
  names: Names,
  lifted: Names,
  already: readonly Names[],
  known: readonly Topics[],
): readonly string[] | undefined {
  const [one, other] = [names, lifted].map((topic): Reach => new Map([['topic', topic]])) as [Reach, Reach]; // one for each
  if (areApart(one, other)) return undefined;
  const isNew = (topics: Topics): boolean =>
    [names, lifted].every((all) => holdsAll(all, topics) === 'yes') &&
    !already.some((all) => holdsAll(all, topics) === 'yes');
  const told = known.filter(isNew).map(textOfTopics);
  if (told.length > 0) return told;
  return [names, lifted].some((all) => areContained(all, already, 'topic') === 'yes') ? undefined : [];
}

/** What an interceptor does, whatever its name. */
const textOf = ({ pluginClass, config }: ChainLink): string => `${pluginClass} ${canonicalText(config)}`;

/**
 * Names of one topic: those that clients have for it, and one that they get. Of a hidden topic it may be any. What is stored in it
 * is of topics with names of their own.
 */
export type TopicNames = {
  readonly was: readonly string[] | typeof HIDDEN;
  readonly stored: readonly Topics[];
  /** What was stored in it before, and seen by this name. */
  readonly shown?: readonly Topics[] | undefined;
  /** The virtual cluster whose clients have the names, where it is not that of those who get the other one. */
  readonly of?: string;
  readonly is: string;
};

/** Something that protects a topic by the name that clients have for it, and not by the other name. */
export type Unprotected = Pick<Weakened, 'protection' | 'certainty' | 'by' | 'claim'>;

/**
 * Judges what a chain protects of a topic by one name, where the chain after a change does not protect it as strongly by another
 * name: interceptors know topics by the names that clients use. What follows from the chains alone is found once for all names.
 */
export function otherNameJudge({ protectionOf, kinds }: Omit<JudgeOptions, 'topicsIn'>) {
  const read = claimsReader(kinds);
  return (
    { before, after }: { readonly before: Chain; readonly after: Chain },
    principal: Principal,
  ): ((names: TopicNames) => readonly Unprotected[]) => {
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
    const protections = [...new Set(before.flatMap(({ one }) => protectionOf(one)))].map((protection) => ({
      protection,
      then: claimsIn(before, protection),
      now: claimsIn(after, protection),
    }));
    return ({ was, stored, shown = [], of, is }) =>
      protections.flatMap(({ protection, then, now }) => {
        const isProtected = (name: string, as: Claim): boolean =>
          then.some(
            ({ claim, reach }) =>
              claim.facet === as.facet &&
              claim.name === as.name &&
              holdsTopic(reach, name) === 'yes' &&
              compareLimits(as, claim).verdict !== 'no',
          );
        return then.flatMap(({ link: by, claim, reach }): readonly Unprotected[] => {
          // A name by which it was read without the protection before makes another one no worse.
          if (!reach.has('topic')) return [];
          const isSame = ({ link, claim: own }: (typeof now)[number]): boolean =>
            link.pluginClass === by.pluginClass && own.facet === claim.facet && own.name === claim.name;
          if (was !== HIDDEN) {
            const isNamed = was.some((name) => holdsTopic(reach, name) === 'yes');
            const isJudged = reach.get('topic')?.type !== 'unknown';
            const isKept = (topics: Reach): boolean =>
              of !== undefined || now.some((one) => isSame(one) && !areApart(one.reach, topics));
            const isStored =
              isJudged &&
              areContained(reach.get('topic') ?? ALL, shown, 'topic') !== 'yes' &&
              stored.some((one) => {
                const topics: Reach = new Map([['topic', one]]);
                const isNew = areContained(one, shown, 'topic') !== 'yes';
                return isNew && !areApart(reach, topics) && isKept(topics);
              });
            if (!isNamed && !isStored) return [];
            if (!was.every((name) => isProtected(name, claim))) return [];
          }
          const found = now.reduce<Verdict>((best, other) => {
            const { link, claim: own } = other;
            const isOther = link.pluginClass !== by.pluginClass && !addresses.has(link.address);
            const isPerhaps =
              isOther || (link.pluginClass === by.pluginClass && (own.isVague || claim.isVague));
            const verdict = isSame(other) ? compareLimits(claim, own).verdict : isPerhaps ? 'unknown' : 'no';
            return stronger(best, weaker(verdict, holdsTopic(other.reach, is)));
          }, 'no');
          if (found === 'yes') return [];
          const isHidden = was === HIDDEN || hasHidden(valueIn(reach.get('topic') ?? ALL));
          const certainty = isHidden ? 'hidden' : found === 'no' ? 'weaker' : 'cannot-tell';
          return [{ protection, certainty, by, claim }];
        });
      });
  };
}

const ALL: Names = { type: 'all' };

function holdsTopic(reach: Reach, topic: string): Verdict {
  const names = reach.get('topic');
  return names === undefined ? 'yes' : holds(names, topic);
}
