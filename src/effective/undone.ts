import { addTo, getOrAdd, groupBy, memoize, once } from '../model/collect.ts';
import { hasPlaceholder } from '../model/text/placeholder.ts';
import { canonicalText, isList, valueOf } from '../model/json/json.ts';
import type { Undoes } from '../model/kind.ts';
import { hasHidden } from '../model/secrets/secrets.ts';
import { PASSTHROUGH, type Chain, type ChainLink, type Principal } from '../model/principal.ts';
import type { Address } from '../model/resource.ts';
import { claimsReader } from './claim-reader.ts';
import { isAlike, type Claim } from './claims.ts';
import { compareLimits } from './compare-limits.ts';
import {
  areApart,
  areContained,
  holds,
  holdsAll,
  nameIndex,
  reachOf,
  type Names,
  type Reach,
  type Topics,
  type Verdict,
  stronger,
  weaker,
  withPrefix,
  topicsNamedIn,
  textOfTopics,
  valueIn,
} from './reach.ts';
import { variantsOf } from './topics.ts';
import type { JudgeOptions, Weakened } from './weakening.ts';

/** Something that is protected, and that an interceptor takes the protection off for a client: decryption, for example. */
export type Undone = Pick<Weakened, 'protection' | 'certainty' | 'by' | 'claim'> & {
  /** The interceptor that takes it off. */
  readonly through: ChainLink;
  /** The known topics where that is so. */
  readonly topics: readonly string[];
  /** The objects that give clients the names of these, where it is told because of those. */
  readonly named?: readonly Address[];
};

/** A name that clients of a virtual cluster have for a topic, and what it is to others. */
export type TopicView = {
  readonly is: string;
  /** The objects that make it so; none of a name that the topic has by itself. */
  readonly by: readonly Address[];
  /** Whether its clients are perhaps not meant to have the topics of others. */
  readonly isPerhaps: boolean;
  /** By which names clients of virtual clusters have it. */
  readonly seen: readonly { readonly of: string; readonly name: string }[];
  /** What of virtual clusters is stored in it, also before the changes. */
  readonly stored: readonly { readonly of: string; readonly topics: Topics; readonly isOld: boolean }[];
  /** By which names the clients had it before. */
  readonly former: readonly string[];
};

/** What clients of a virtual cluster have of the topics of others. */
export type Views = {
  /** Those of topics that clients of a virtual cluster have, too, or of all. */
  readonly viewsOf: (virtualCluster: string | undefined) => readonly TopicView[];
  readonly clusters: ReadonlySet<string>;
  /** Whether a name leads to another topic than the one that is called so, after the changes, or also before. */
  readonly leadsAway: (virtualCluster: string, name: string, when: 'after' | 'always') => boolean;
  /** Told of what interceptors do that do the same before and after, or only of what others do. */
  readonly isKept: boolean;
};

/**
 * Finds what a client gets without its protection after a change and did not get so before: of what these interceptors protect,
 * for whomever they do it, since what one client encrypts another one reads.
 */
export function undoneFinder({ protectionOf, kinds, topicsIn }: JudgeOptions) {
  const variantOf = variantsOf(kinds);
  const read = claimsReader(kinds);
  const topicsOf = memoize((link: ChainLink): Names => namesOf(read(link)[0]));
  const undoesOf = ({ pluginClass }: ChainLink): Undoes | undefined => variantOf(pluginClass)?.undoes;
  const isUndoing = (link: ChainLink): boolean => undoesOf(link) !== undefined;

  const find = (
    { before, after }: { readonly before: Chain; readonly after: Chain },
    { virtualCluster }: Pick<Principal, 'virtualCluster'>,
    protecting: readonly ChainLink[],
    { viewsOf, clusters, leadsAway, isKept }: Views,
  ): readonly Undone[] => {
    const former = linksOf(before).filter(isUndoing);
    const texts = new Set(former.map(textOf));
    const through = linksOf(after).filter((one) => isUndoing(one) && texts.has(textOf(one)) === isKept);
    const taken = through.flatMap((link) => {
      const undoes = undoesOf(link);
      if (undoes === undefined) return [];
      const lifted = topicsOf(link);
      const giving = protecting.filter((by) => protectionOf(by).includes(undoes.protection));
      const byCluster = groupBy(giving, clusterOf);
      const masks = once(() =>
        [before, after].map((chain) =>
          linksOf(chain).flatMap((one) => (protectionOf(one).includes(undoes.after) ? read(one) : [])),
        ),
      );
      // A topic whose name is new is told of by its masks.
      const isWorse = ({ is, former: had }: TopicView, name: string, { name: what }: Claim): boolean => {
        const [then = [], now = []] = isKept || name === is || !had.includes(is) ? [] : masks();
        return then.some(
          (own) =>
            (what === null || own.name === what) &&
            holds(namesOf(own), name) === 'yes' &&
            !now.some((one) => isAsStrong(own, one) && holds(namesOf(one), is) !== 'no'),
        );
      };
      const viewsOfClaims = new Map<string | undefined, ReadonlyMap<Claim, readonly TopicView[]>>();
      const topicsOfClaims = once(() =>
        byClaim(giving.flatMap(read), topicsIn(virtualCluster), (one) =>
          one.type === 'one' ? [one.name] : undefined,
        ),
      );
      return giving.flatMap((by) => {
        const own = clusterOf(by);
        const isOf = (of: string): boolean => own === undefined || own === of;
        const seen = getOrAdd(viewsOfClaims, own, () =>
          byClaim(
            (byCluster.get(own) ?? []).flatMap(read),
            viewsOf(own).filter(({ is }) => holds(lifted, is) !== 'no'),
            (view) =>
              view.stored.length > 0
                ? undefined
                : view.seen.flatMap(({ of, name }) => (isOf(of) ? [name] : [])),
          ),
        );
        const isNear = isOf(virtualCluster) && !isKept;
        const all =
          virtualCluster !== PASSTHROUGH ? [PASSTHROUGH] : own === undefined ? [...clusters] : [own];
        const physical = isKept ? [] : all.filter((of) => isOf(of) && of !== virtualCluster);
        return read(by).flatMap((claim): readonly Undone[] => {
          const views = seen.get(claim) ?? [];
          if (!isNear && views.length + physical.length === 0) return [];
          const verdict = takesOff(undoes, link, claim);
          if (verdict === 'no') return [];
          const already = former.flatMap((one) =>
            one.pluginClass === link.pluginClass && takesOff(undoes, one, claim) === 'yes'
              ? topicsOf(one)
              : [],
          );
          const names = namesOf(claim);
          const isSure = verdict === 'yes' && names.type !== 'unknown' && lifted.type !== 'unknown';
          const isHidden =
            [link.config, claim.name, valueIn(names)].some(hasHidden) ||
            (lifted.type === 'unknown' && lifted.isOpen === true);
          const certainty = isSure ? 'weaker' : isHidden ? 'hidden' : 'cannot-tell';
          const undone = { protection: undoes.protection, by, claim, through: link } as const;
          if (isNear) {
            const topics = findTopics(names, lifted, already, topicsOfClaims().get(claim) ?? []);
            if (topics !== undefined) return [{ ...undone, certainty, topics }];
          }
          const found = views.flatMap((view) => {
            const had = view.former.filter((name) => !isWorse(view, name, claim));
            const sure = isSeenAs({ ...view, former: had }, names, lifted, isOf, already);
            return sure === 'no'
              ? []
              : [{ view, certainty: sure === 'yes' ? certainty : 'cannot-tell' } as const];
          });
          const told = Array.from(groupBy(found, (one) => one.certainty).values(), (group): Undone => ({
            ...{ ...undone, certainty: group[0].certainty },
            topics: group.map(({ view }) => view.is).sort(),
            named: group.flatMap(({ view }) => view.by),
          }));
          if (told.length > 0) return told;
          const through = physical.flatMap((of) =>
            findPhysical(names, of, lifted, virtualCluster, already, leadsAway),
          );
          if (through.length === 0) return [];
          const isMeant = through.some((one) => one.isMeant);
          const topics = through.flatMap((one) => one.topics);
          return [{ ...undone, certainty: isMeant ? certainty : 'cannot-tell', topics }];
        });
      });
    });
    if (isKept) return taken;
    return [...taken, ...findOvertaken(before, after, topicsIn(virtualCluster))];
  };

  /** Whether an interceptor takes off what a claim is about, on topics of both, and of others if there are some. */
  const lifts = (link: ChainLink, claim: Claim, topics?: Topics): Verdict => {
    const undoes = undoesOf(link);
    const [names, lifted] = [namesOf(claim), topicsOf(link)];
    if (undoes === undefined || isApart(names, lifted)) return 'no';
    if (topics !== undefined && [names, lifted].some((one) => isApart(one, topics))) return 'no';
    const isKnown = names.type !== 'unknown' && lifted.type !== 'unknown';
    return weaker(takesOff(undoes, link, claim), isKnown ? 'yes' : 'unknown');
  };

  /** Whether an interceptor perhaps takes off what a claim is about of a topic by another name than that of the claim. */
  const liftsBy = (link: ChainLink, claim: Claim, name: string): boolean => {
    const undoes = undoesOf(link);
    if (undoes === undefined || holds(topicsOf(link), name) === 'no') return false;
    return takesOff(undoes, link, claim) !== 'no';
  };

  /** What runs on a record, such as a mask, before it is decrypted, and ran after that. What it does then is not documented. */
  const findOvertaken = (before: Chain, after: Chain, known: readonly Topics[]): readonly Undone[] => {
    const [then, now] = [linksOf(before), linksOf(after)];
    return now.flatMap((link) => {
      const undoes = undoesOf(link);
      if (undoes === undefined) return [];
      const overtaken = now.filter((by) => protectionOf(by).includes(undoes.after) && isLater(link, by));
      return overtaken.flatMap((by) =>
        read(by).flatMap((claim): readonly Undone[] => {
          if (lifts(link, claim) === 'no') return [];
          const [had = [], has = []] = [then, now].map((running) => namesLate(claim, by, running));
          if (had.every((names) => areContained(names, has, 'topic') === 'yes')) return [];
          const topics = findTopics(namesOf(claim), topicsOf(link), has, known);
          if (topics === undefined) return [];
          return [{ protection: undoes.after, certainty: 'cannot-tell', by, claim, through: link, topics }];
        }),
      );
    });
  };

  /** Which of those that run protect what a claim is about after it is in clear: by all that takes it off, or by one that takes all of it off. */
  const isLate =
    (claim: Claim, { pluginClass }: ChainLink, running: readonly ChainLink[]) =>
    (by: ChainLink): boolean =>
      by.pluginClass === pluginClass &&
      protects(by, claim) &&
      (!running.some((link) => isLater(link, by) && lifts(link, claim) !== 'no') ||
        running.some((link) => !isLater(link, by) && isLater(by, link) && liftsAll(link, claim)));
  const runsLate = (claim: Claim, by: ChainLink, running: readonly ChainLink[]): boolean =>
    running.some(isLate(claim, by, running));
  const namesLate = (claim: Claim, by: ChainLink, running: readonly ChainLink[]): readonly Names[] =>
    running.filter(isLate(claim, by, running)).flatMap((link) => keeping(link, claim).map(namesOf));
  const liftsAll = (link: ChainLink, claim: Claim): boolean =>
    lifts(link, claim) === 'yes' && areContained(namesOf(claim), [topicsOf(link)], 'topic') === 'yes';
  /** How an interceptor of the same class protects the same, as strongly, on some of the same topics. */
  const keeping = (link: ChainLink, claim: Claim): readonly Claim[] =>
    read(link).filter((own) => !isApart(namesOf(own), namesOf(claim)) && isAsStrong(claim, own));
  const protects = (link: ChainLink, claim: Claim): boolean => keeping(link, claim).length > 0;
  const protectsAll = (link: ChainLink, claim: Claim): boolean =>
    areContained(namesOf(claim), keeping(link, claim).map(namesOf), 'topic') === 'yes';
  return {
    isUndoing,
    undoesOf,
    /** The topics that its pattern names one by one. */
    topicsNamed: (link: ChainLink) => topicsNamedIn(topicsOf(link)),
    /** Whether interceptors together are for all that another one or a claim is for. */
    coverAll: (links: readonly ChainLink[], link: ChainLink, claim: Claim): boolean => {
      const outers = links.map(topicsOf);
      return [topicsOf(link), namesOf(claim)].some((one) => areContained(one, outers, 'topic') === 'yes');
    },
    find,
    lifts,
    liftsBy,
    protects,
    protectsAll,
    runsLate,
  };
}

const linksOf = (chain: Chain): readonly ChainLink[] => chain.map(({ one }) => one);

/** The virtual cluster that an interceptor is for; undefined if it is for all. */
function clusterOf({ scope }: ChainLink): string | undefined {
  return typeof scope['vCluster'] === 'string' ? scope['vCluster'] : undefined;
}

/** What claims are perhaps about of a list, by the names of topics that each has; one without is perhaps any. */
function byClaim<T>(
  claims: readonly Claim[],
  list: readonly T[],
  calledOf: (one: T) => readonly string[] | undefined,
): ReadonlyMap<Claim, readonly T[]> {
  const found = new Map<Claim, T[]>();
  if (list.length === 0) return found;
  const near = nameIndex(claims, namesOf);
  for (const one of list) {
    const names = calledOf(one);
    for (const claim of names === undefined ? claims : near(names)) addTo(found, claim, one);
  }
  return found;
}

/** Whether another claim is about the same, and perhaps protects it as strongly. */
function isAsStrong(claim: Claim, other: Claim): boolean {
  return isAlike(other, claim) && compareLimits(claim, other).verdict !== 'no';
}

function isApart(names: Names, others: Names): boolean {
  const [one, other] = [names, others].map((topic): Reach => new Map([['topic', topic]])) as [Reach, Reach]; // one for each
  return areApart(one, other);
}

/** Whether an interceptor for some topics gets what others protect by the names that they have for it, and did not get it before. */
function isSeenAs(
  { is, isPerhaps, seen, stored, former }: TopicView,
  names: Names,
  lifted: Names,
  isOf: (virtualCluster: string) => boolean,
  already: readonly Names[],
): Verdict {
  const named = seen.reduce<Verdict>(
    (best, { of, name }) => (isOf(of) ? stronger(best, holds(names, name)) : best),
    'no',
  );
  const reach: Reach = new Map([['topic', names]]);
  const inside = stored.filter(
    ({ of, topics }) => isOf(of) && !areApart(reach, new Map([['topic', topics]])),
  );
  if (named === 'no' && inside.length === 0) return 'no';
  const had = named !== 'no' || inside.some(({ isOld }) => isOld) ? former : [];
  if (already.some((all) => had.some((name) => holds(all, name) === 'yes'))) return 'no';
  if (isPerhaps && lifted.type === 'all') return 'unknown';
  return weaker(holds(lifted, is), inside.length > 0 ? 'yes' : named);
}

/** The same, where one of both virtual clusters has all topics by their physical names, of which those of the other one begin with its own. */
function findPhysical(
  names: Names,
  of: string,
  lifted: Names,
  virtualCluster: string,
  already: readonly Names[],
  leadsAway: Views['leadsAway'],
): readonly { readonly topics: readonly string[]; readonly isMeant: boolean }[] {
  const prefixOf = (one: string): string => (one === PASSTHROUGH ? '' : one);
  const [theirs, own] = [prefixOf(of), prefixOf(virtualCluster)];
  const [there, here] = [withPrefix(names, theirs), withPrefix(lifted, own)];
  const name = names.type === 'pattern' && /^[\w-]+$/.test(names.text) ? names.text : undefined;
  const isHidden =
    name !== undefined &&
    (leadsAway(of, name, 'always') || leadsAway(virtualCluster, (theirs + name).slice(own.length), 'after'));
  if (isHidden) return [];
  const known: readonly Topics[] = name === undefined ? [] : [{ type: 'one', name: theirs + name }];
  const former = already.map((one) => withPrefix(one, own));
  const topics = findTopics(there, here, former, known);
  if (topics === undefined) return [];
  // What is for topics of all virtual clusters is perhaps not meant for these.
  const [wide, prefix] = own === '' ? [here, theirs] : [there, own];
  const isMeant = areContained(wide, [withPrefix({ type: 'all' }, prefix)], 'topic') === 'yes';
  return [{ topics: topics.map((one) => one.slice(own.length)), isMeant }];
}

/** Whether an interceptor perhaps runs after another one: the order of equal priorities is not defined, and a hidden one is no number. */
function isLater(one: ChainLink, other: ChainLink): boolean {
  return one.isMoved !== true && other.isMoved !== true && !(one.priority < other.priority);
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

/** The known topics among both that are not among others; undefined if there can be none. */
function findTopics(
  names: Names,
  lifted: Names,
  already: readonly Names[],
  known: readonly Topics[],
): readonly string[] | undefined {
  if (isApart(names, lifted)) return undefined;
  const isNew = (topics: Topics): boolean =>
    [names, lifted].every((all) => holdsAll(all, topics) === 'yes') &&
    !already.some((all) => holdsAll(all, topics) === 'yes');
  const told = known.filter(isNew).map(textOfTopics);
  if (told.length > 0) return told;
  const isKnown = (all: Names, other: Names): boolean =>
    piecesOf(all).every((one) => isApart(one, other) || areContained(one, already, 'topic') === 'yes');
  return isKnown(names, lifted) || isKnown(lifted, names) ? undefined : [];
}

/** The topics that a pattern names one by one, or all that it is for. */
function piecesOf(names: Names): readonly Names[] {
  const pieces = topicsNamedIn(names);
  return pieces.length === 0 ? [names] : pieces;
}

/** What an interceptor does, whatever its name. */
const textOf = ({ pluginClass, config }: ChainLink): string => `${pluginClass} ${canonicalText(config)}`;
