import { addTo, getOrAdd, groupBy, once } from '../model/collect.ts';
import { canonicalText } from '../model/json/json.ts';
import type { Undoes } from '../model/kind.ts';
import { hasHidden } from '../model/secrets/secrets.ts';
import { PASSTHROUGH, type Chain, type ChainLink, type Principal } from '../model/principal.ts';
import type { Address } from '../model/resource.ts';
import { claimsReader } from './claim-reader.ts';
import type { Claim } from './claims.ts';
import {
  areApart,
  areContained,
  holds,
  holdsAll,
  nameIndex,
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
import { isApart, isAsStrong, isLater, namesOf, undoingReader } from './undoing.ts';
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

/** What is asked about a client: what runs, for it and for all, and what it has of the topics of others. */
type Setting = {
  readonly before: readonly ChainLink[];
  readonly after: readonly ChainLink[];
  readonly virtualCluster: string;
  readonly protecting: readonly ChainLink[];
  readonly views: Views;
};

/**
 * Finds what a client gets without its protection after a change and did not get so before: of what these interceptors protect,
 * for whomever they do it, since what one client encrypts another one reads.
 */
export function undoneFinder({ protectionOf, kinds, topicsIn }: JudgeOptions) {
  const read = claimsReader(kinds);
  const { undoesOf, isUndoing, topicsOf, takesOff, lifts, namesLate } = undoingReader(kinds);
  const claimsOf = (protection: string, links: readonly ChainLink[]): readonly Claim[] =>
    links.flatMap((one) => (protectionOf(one).includes(protection) ? read(one) : []));

  /** Whether what masked a topic by a name does not mask it by a new one; that is told of by its masks. */
  const worseFinder = ({ after: protection }: Undoes, { before, after, views }: Setting) => {
    const masks = once(() => [claimsOf(protection, before), claimsOf(protection, after)] as const);
    return ({ is, former }: TopicView, name: string, { name: what }: Claim): boolean => {
      if (views.isKept || name === is || !former.includes(is)) return false;
      const [then, now] = masks();
      return then.some(
        (own) =>
          (what === null || own.name === what) &&
          holds(namesOf(own), name) === 'yes' &&
          !now.some((one) => isAsStrong(own, one) && holds(namesOf(one), is) !== 'no'),
      );
    };
  };

  /** What an interceptor takes off: of each claim by the names in it, or else by other names, or else by physical ones. */
  const findTaken = (link: ChainLink, undoes: Undoes, setting: Setting): readonly Undone[] => {
    const { before, virtualCluster, protecting, views } = setting;
    const { viewsOf, clusters, leadsAway, isKept } = views;
    const lifted = topicsOf(link);
    const giving = protecting.filter((by) => protectionOf(by).includes(undoes.protection));
    const isWorse = worseFinder(undoes, setting);
    const topicsNear = once(() =>
      byClaim(giving.flatMap(read), topicsIn(virtualCluster), (one) =>
        one.type === 'one' ? [one.name] : undefined,
      ),
    );
    const byCluster = groupBy(giving, clusterOf);
    const viewsNear = new Map<string | undefined, ReadonlyMap<Claim, readonly TopicView[]>>();
    const viewsOfClaims = (own: string | undefined) =>
      getOrAdd(viewsNear, own, () =>
        byClaim(
          (byCluster.get(own) ?? []).flatMap(read),
          viewsOf(own).filter(({ is }) => holds(lifted, is) !== 'no'),
          (view) =>
            view.stored.length > 0
              ? undefined
              : view.seen.flatMap(({ of, name }) => (isFor(own, of) ? [name] : [])),
        ),
      );

    const findBy = (by: ChainLink): readonly Undone[] => {
      const own = clusterOf(by);
      const isOf = (of: string): boolean => isFor(own, of);
      const isNear = isOf(virtualCluster) && !isKept;
      const all = virtualCluster !== PASSTHROUGH ? [PASSTHROUGH] : own === undefined ? [...clusters] : [own];
      const physical = isKept ? [] : all.filter((of) => isOf(of) && of !== virtualCluster);
      return read(by).flatMap((claim): readonly Undone[] => {
        const near = viewsOfClaims(own).get(claim) ?? [];
        if (!isNear && near.length + physical.length === 0) return [];
        const verdict = takesOff(link, claim);
        if (verdict === 'no') return [];
        const already = before.flatMap((one) =>
          one.pluginClass === link.pluginClass && takesOff(one, claim) === 'yes' ? [topicsOf(one)] : [],
        );
        const names = namesOf(claim);
        const isSure = verdict === 'yes' && names.type !== 'unknown' && lifted.type !== 'unknown';
        const isHidden =
          [link.config, claim.name, valueIn(names)].some(hasHidden) ||
          (lifted.type === 'unknown' && lifted.isOpen === true);
        const certainty = isSure ? 'weaker' : isHidden ? 'hidden' : 'cannot-tell';
        const undone = { protection: undoes.protection, by, claim, through: link } as const;
        if (isNear) {
          const topics = findTopics(names, lifted, already, topicsNear().get(claim) ?? []);
          if (topics !== undefined) return [{ ...undone, certainty, topics }];
        }
        const seen = near.flatMap((view) => {
          const had = view.former.filter((name) => !isWorse(view, name, claim));
          const sure = isSeenAs({ ...view, former: had }, names, lifted, isOf, already);
          return sure === 'no'
            ? []
            : [{ view, certainty: sure === 'yes' ? certainty : 'cannot-tell' } as const];
        });
        if (seen.length > 0)
          return Array.from(groupBy(seen, (one) => one.certainty).values(), (group): Undone => ({
            ...{ ...undone, certainty: group[0].certainty },
            topics: group.map(({ view }) => view.is).sort(),
            named: group.flatMap(({ view }) => view.by),
          }));
        const through = physical.flatMap((of) =>
          findPhysical(names, of, lifted, virtualCluster, already, leadsAway),
        );
        if (through.length === 0) return [];
        const isMeant = through.some((one) => one.isMeant);
        const topics = through.flatMap((one) => one.topics);
        return [{ ...undone, certainty: isMeant ? certainty : 'cannot-tell', topics }];
      });
    };
    return giving.flatMap(findBy);
  };

  /** What runs on a record, such as a mask, before it is decrypted, and ran after that. What it does then is not documented. */
  const findOvertaken = ({ before, after, virtualCluster }: Setting): readonly Undone[] =>
    after.flatMap((link) => {
      const undoes = undoesOf(link);
      if (undoes === undefined) return [];
      const overtaken = after.filter((by) => protectionOf(by).includes(undoes.after) && isLater(link, by));
      return overtaken.flatMap((by) =>
        read(by).flatMap((claim): readonly Undone[] => {
          if (lifts(link, claim) === 'no') return [];
          const [had, has] = [namesLate(claim, by, before), namesLate(claim, by, after)];
          if (had.every((names) => areContained(names, has, 'topic') === 'yes')) return [];
          const topics = findTopics(namesOf(claim), topicsOf(link), has, topicsIn(virtualCluster));
          if (topics === undefined) return [];
          return [{ protection: undoes.after, certainty: 'cannot-tell', by, claim, through: link, topics }];
        }),
      );
    });

  return (
    chains: { readonly before: Chain; readonly after: Chain },
    { virtualCluster }: Pick<Principal, 'virtualCluster'>,
    protecting: readonly ChainLink[],
    views: Views,
  ): readonly Undone[] => {
    const [before, after] = [linksOf(chains.before), linksOf(chains.after)];
    const setting: Setting = { before, after, virtualCluster, protecting, views };
    const texts = new Set(before.filter(isUndoing).map(textOf));
    const taken = after.flatMap((link) => {
      const undoes = undoesOf(link);
      const isAsked = undoes !== undefined && texts.has(textOf(link)) === views.isKept;
      return isAsked ? findTaken(link, undoes, setting) : [];
    });
    return views.isKept ? taken : [...taken, ...findOvertaken(setting)];
  };
}

const linksOf = (chain: Chain): readonly ChainLink[] => chain.map(({ one }) => one);

/** The virtual cluster that an interceptor is for; undefined if it is for all. */
function clusterOf({ scope }: ChainLink): string | undefined {
  return typeof scope['vCluster'] === 'string' ? scope['vCluster'] : undefined;
}

/** Whether what is for a virtual cluster, or for all, is for this one. */
function isFor(own: string | undefined, virtualCluster: string): boolean {
  return own === undefined || own === virtualCluster;
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
