import { claimsReader, namesReader, reachFor } from './claim-reader.ts';
import { getOrAdd, groupBy, memoize } from '../model/collect.ts';
import { canonicalText, sameJson, type Pointer } from '../model/json/json.ts';
import type { KindSet } from '../model/kind.ts';
import type { Chain, ChainLink, Principal } from '../model/principal.ts';
import { isAllOf, type Claim } from './claims.ts';
import {
  compareLimits,
  dependOnUnknown,
  fieldsOf,
  type Applied,
  type Compared,
  type Comparison,
} from './compare-limits.ts';
import type { ProtectionOf } from './protection.ts';
import { variantsOf } from './topics.ts';
import {
  areApart,
  holdsAll,
  isCovered,
  isOpenFor,
  reachOf,
  startIndex,
  type Reach,
  type Topics,
  textOfTopics,
} from './reach.ts';

/**
 * `hidden`: it changes, and which of both is stronger depends on a value that is hidden, or that nobody can judge who could judge the former
 * one, so it counts as weaker; `cannot-tell`: that is not documented or cannot be judged.
 */
export type Certainty = 'weaker' | 'hidden' | 'cannot-tell';

/** Something that a chain protects less than before. */
export type Weakened = {
  readonly protection: string;
  readonly certainty: Certainty;
  /** The interceptor that protected it, and what of its config makes the difference; none if the interceptor no longer runs. */
  readonly by: ChainLink;
  readonly fields: readonly Pointer[];
  readonly claim: Claim;
  /** Whether nothing protects it any more, there. */
  readonly loss: 'whole' | 'part' | 'undone';
  /** What was compared. */
  readonly against: readonly ChainLink[];
  /** The known topics where that is so, by name or expression; null if its class has nothing to do with topics. */
  readonly topics: readonly string[] | null;
};

export type JudgeOptions = {
  readonly protectionOf: ProtectionOf;
  readonly kinds: KindSet;
  /** The topics of the clients of a virtual cluster, as far as they are known. */
  readonly topicsIn: (virtualCluster: string) => readonly Topics[];
};

/**
 * Judges chains: what the one before protected, and the one after no longer does as strongly, wherever that is. Several interceptors
 * of a class can make good together what one of them no longer does.
 */
export function weakeningJudge({ protectionOf, kinds, topicsIn }: JudgeOptions) {
  const variantOf = variantsOf(kinds);
  const read = claimsReader(kinds);
  const names = namesReader(kinds);
  // What does not depend on the principal is one object, by which answers are found again.
  const alone = memoize((link: ChainLink) =>
    read(link).map((claim): Applied => ({ link, claim, reach: reachOf(claim.limits) })),
  );
  const applied = (link: ChainLink, principal: Principal): readonly Applied[] =>
    alone(link).flatMap((one) => {
      const reach = reachFor(one.claim, principal);
      if (reach === undefined) return [];
      return [reach === one.reach ? one : { ...one, reach }];
    });

  const byAddress = memoize((chain: Chain) => new Map(chain.map(({ one }) => [one.address, one])));
  const textsOf = memoize((chain: Chain) => new Set(chain.map(({ one }) => textOf(one))));
  const isIn = (chain: Chain, link: ChainLink): boolean => {
    const own = byAddress(chain).get(link.address);
    return (own !== undefined && doSame(own, link)) || textsOf(chain).has(textOf(link));
  };
  const idOf = numbering();
  const idOfReach = (reach: Reach): number => idOf(keyOfReach(reach));
  const textOfQuestion = ({ virtualCluster, replacing }: Question): string =>
    JSON.stringify([virtualCluster, replacing.map(idOfReach)]);
  const compareWith = memoize((claim: Claim) => memoize((other: Claim) => compareLimits(claim, other)));
  const compareOnce = (claim: Claim, other: Claim): Comparison => compareWith(claim)(other);
  const known = new Map<string, readonly Judged[]>();
  const judgeOnce = (one: Applied, compared: readonly Compared[], question: Question): readonly Judged[] => {
    const sure = compared.flatMap(({ verdict, reach }) => (verdict === 'yes' ? [reach] : []));
    if (isCovered(one.reach, sure) === 'yes') return [];
    const others = compared.map(({ verdict, reach }) => `${verdict}${idOfReach(reach)}`);
    const key = `${idOfReach(one.reach)} ${others.join()} ${textOfQuestion(question)}`;
    return getOrAdd(known, key, () =>
      judge(one.reach, compared, question, topicsIn(question.virtualCluster)),
    );
  };
  // Clients have most interceptors in common: what is judged of one, beside the same others, is judged once.
  const judged = new Map<string, readonly Weakened[]>();
  const lists = new Map<string, readonly Applied[]>();
  const interned = memoize((list: readonly Applied[]) => getOrAdd(lists, list.map(idOf).join(), () => list));

  /** `is` is the interceptor after the changes. */
  const judgeClaim = (
    one: Applied,
    protection: string,
    others: readonly Applied[],
    question: Question,
    is: ChainLink | undefined,
  ): readonly Weakened[] => {
    const compared = compare(one, others, compareOnce);
    const found = judgeOnce(one, compared, question);
    if (found.length === 0) return [];
    const fields = fieldsOf(one, compared, is, read);
    const against = linksOf(others);
    const { replacing } = question;
    const isHidden =
      compared.some((rival) => dependOnUnknown(one, rival)) ||
      replacing.some((reach) => isOpenFor(one.reach, reach));
    const isLeft = isRuleLeft(one.claim, is);
    return found.map((each) => ({
      ...{ protection, by: one.link, claim: one.claim, fields, against, ...each },
      ...(each.certainty === 'cannot-tell' && isHidden ? { certainty: 'hidden' as const } : {}),
      ...(isLeft ? { loss: 'part' as const } : {}),
    }));
  };

  const judgeFor = (before: Chain, after: Chain, principal: Principal): readonly Weakened[] => {
    // As whom the client logs in before the changes.
    const former = principal.identity === undefined ? principal : { ...principal, ...principal.identity.was };
    const isSameFor = (link: ChainLink): boolean =>
      isIn(after, link) && (former === principal || !names(link, ['username', 'virtualCluster']));
    const changed = before.flatMap(({ one }) => (isSameFor(one) ? [] : [one]));
    if (changed.length === 0) return [];
    const { virtualCluster } = principal;
    const now = after.map(({ one }) => one);
    const added = now.filter((one) => !isIn(before, one));
    type Others = Pick<Question, 'replacing'> & { readonly find: (claim: Claim) => readonly Applied[] };
    const othersOf = (pluginClass: string, protection: string): Others => {
      const giving = now.filter((one) => protectionOf(one).includes(protection));
      const isOther = (one: ChainLink): boolean =>
        one.pluginClass !== pluginClass &&
        (protection !== 'safeguard' || variantOf(one.pluginClass)?.strength === undefined);
      const alike = giving.filter((one) => one.pluginClass === pluginClass);
      return {
        find: rivalFinder(alike.flatMap((one) => applied(one, principal))),
        replacing: added
          .filter((one) => isOther(one) && protectionOf(one).includes(protection))
          .flatMap((one) =>
            read(one).length === 0 ? [ANYWHERE] : applied(one, principal).map(({ reach }) => reach),
          ),
      };
    };
    const others = new Map<string, Others>();
    const judgeLink = (link: ChainLink, protection: string): readonly Weakened[] => {
      // The loss of all of it is told as such.
      if (!now.some((one) => protectionOf(one).includes(protection))) return [];
      const key = JSON.stringify([protection, link.pluginClass]);
      const { find, replacing } = getOrAdd(others, key, () => othersOf(link.pluginClass, protection));
      const is = byAddress(after).get(link.address);
      const question = { virtualCluster, replacing };
      const about = `${protection} ${textOfQuestion(question)}`;
      return applied(link, former).flatMap((one) => {
        const beside = interned(find(one.claim));
        const id = `${idOf(one)} ${idOf(beside)} ${is === undefined ? '' : idOf(is)} ${about}`;
        return getOrAdd(judged, id, () => judgeClaim(one, protection, beside, question, is));
      });
    };
    return changed.flatMap((link) => protectionOf(link).flatMap((protection) => judgeLink(link, protection)));
  };
  /** Of a rule for values, whether it still forbids some. */
  const isRuleLeft = ({ facet }: Claim, link: ChainLink | undefined): boolean => {
    const [rule, value] = facet.split('!');
    return (
      value !== undefined &&
      link !== undefined &&
      read(link).some((one) => one.facet.startsWith(`${rule ?? ''}!`))
    );
  };
  return judgeFor;
}

/** What an interceptor does, whatever its name. */
const textOf = memoizeText<ChainLink>(({ pluginClass, config }) => `${pluginClass} ${canonicalText(config)}`);

/** One list for each list of rivals. */
const linksOf = memoize((rivals: readonly Applied[]) => rivals.map(({ link }) => link));

const keyOfReach = memoizeText<Reach>((reach) => JSON.stringify([...reach]));

/** A number for each thing, in the order in which they are asked for. */
function numbering(): (one: unknown) => number {
  const numbers = new Map<unknown, number>();
  return (one) => getOrAdd(numbers, one, () => numbers.size);
}

function memoizeText<T extends object>(make: (one: T) => string): (one: T) => string {
  const remember = memoize((one: T) => ({ text: make(one) }));
  return (one) => remember(one).text;
}

/** Whether interceptors do the same, whatever their names and priorities. */
export function doSame(one: ChainLink, other: ChainLink): boolean {
  return one.pluginClass === other.pluginClass && sameJson(one.config, other.config);
}

/** Finds the claims that are about the same as another one or about more, or perhaps are. */
function rivalFinder(rivals: readonly Applied[]): (claim: Claim) => readonly Applied[] {
  const keyOf = ({ facet, name }: Claim): string => JSON.stringify([facet, name]);
  const byKey = groupBy(rivals, ({ claim }) => keyOf(claim));
  const vague = rivals.filter(({ claim }) => claim.isVague);
  const payloads = rivals.filter(({ claim }) => claim.what === 'payload');
  return (claim) => {
    const same: readonly Applied[] = byKey.get(keyOf(claim)) ?? [];
    const all = payloads.filter((one) => isAllOf(one.claim, claim));
    const exact = all.length === 0 ? same : [...same, ...all];
    if (vague.length === 0 && !claim.isVague) return exact;
    const perhaps = (claim.isVague ? rivals : vague).filter(
      (one) =>
        !exact.includes(one) &&
        ((one.claim.isVague && isBelow(claim.facet, one.claim.facet)) ||
          (claim.isVague && isBelow(one.claim.facet, claim.facet))),
    );
    return [...exact, ...perhaps];
  };
}

function isBelow(facet: string, other: string): boolean {
  return facet === other || facet.startsWith(`${other}/`) || facet.startsWith(`${other}=`);
}

/** How strong the claims after are that are about the same. */
function compare(
  { claim }: Applied,
  rivals: readonly Applied[],
  compareBoth: (claim: Claim, other: Claim) => Comparison,
): readonly Compared[] {
  const found = rivals.map((rival): Compared => {
    const other = rival.claim;
    const isSame = other.facet === claim.facet && other.name === claim.name;
    const isExact = isSame || isAllOf(other, claim);
    const { verdict, failing }: Comparison = isExact ? compareBoth(claim, other) : UNKNOWN;
    return { link: rival.link, claim: other, reach: rival.reach, verdict, failing }; // a spread takes thrice as long
  });
  // Of two patterns, what both match may be narrower than each of them.
  const wider = found.filter(
    ({ verdict, failing }) =>
      verdict === 'no' && failing.every(({ strength }) => strength.type === 'matches'),
  );
  return wider.length < 2
    ? found
    : found.map((one) => (wider.includes(one) ? { ...one, verdict: 'unknown' as const } : one));
}

const UNKNOWN: Comparison = { verdict: 'unknown', failing: [] };

/** The topics of a virtual cluster, asked for by each claim. */
const topicsNear = memoize((topics: readonly Topics[]) => startIndex(topics, (one) => one));

type Judged = Pick<Weakened, 'certainty' | 'loss' | 'topics'>;
/** Whose topics it is about, and where new interceptors of other classes may protect instead. */
type Question = { readonly virtualCluster: string; readonly replacing: readonly Reach[] };
/** Of a class that gwconf does not know. */
const ANYWHERE: Reach = new Map();

function judge(
  reach: Reach,
  compared: readonly Compared[],
  { replacing }: Question,
  knownTopics: readonly Topics[],
): readonly Judged[] {
  const reachesOf = (some: readonly Compared[]): readonly Reach[] => some.map((one) => one.reach);
  const sure = reachesOf(compared.filter(({ verdict }) => verdict === 'yes'));
  const perhaps = [...reachesOf(compared.filter(({ verdict }) => verdict !== 'no')), ...replacing];
  const any = reachesOf(compared);
  const names = reach.get('topic');
  const near = names === undefined ? [] : topicsNear(knownTopics)(names);
  const topics = names === undefined ? [] : near.filter((some) => holdsAll(names, some) === 'yes');
  const at = (topic: Topics): Reach => new Map([...reach, ['topic', topic]]);
  const lost = topics.filter((topic) => isCovered(at(topic), sure) !== 'yes');
  const weakenedAt = lost.filter((topic) => isCovered(at(topic), perhaps) === 'no');
  const isWeaker = weakenedAt.length > 0 || isCovered(reach, perhaps) === 'no';
  const certainty = isWeaker ? 'weaker' : 'cannot-tell';
  const told = isWeaker ? weakenedAt : lost;
  const lossAt = (some: Reach): Judged['loss'] =>
    any.every((one) => areApart(some, one)) ? 'whole' : 'part';
  if (names === undefined || told.length === 0)
    return [{ certainty, loss: lossAt(reach), topics: names === undefined ? null : [] }];
  const gone = told.filter((topic) => lossAt(at(topic)) === 'whole');
  const less = told.filter((topic) => !gone.includes(topic));
  const judged = (loss: Judged['loss'], some: readonly Topics[]): readonly Judged[] => {
    const isAll = names.type === 'all' && some.length === topics.length; // needs no names
    return some.length === 0 ? [] : [{ certainty, loss, topics: isAll ? [] : some.map(textOfTopics) }];
  };
  const found = [...judged('whole', gone), ...judged('part', less)];
  // Those that are known are no more than examples, unless there can be no others.
  const isMore =
    found.every(({ topics: some }) => some?.length !== 0) &&
    isCovered(reach, [...(isWeaker ? perhaps : sure), ...told.map(at)]) === 'no';
  return isMore ? [...found, { certainty, loss: lossAt(reach), topics: [] }] : found;
}
