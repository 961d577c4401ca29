import { addTo, getOrAdd, groupBy, memoize, once } from '../model/collect.ts';
import { canonicalText } from '../model/json/json.ts';
import type { Undoes } from '../model/kind.ts';
import { hasHidden } from '../model/secrets/hidden.ts';
import { PASSTHROUGH, type Chain, type ChainLink, type Principal } from '../model/principal.ts';
import type { Address } from '../model/resource.ts';
import { claimsReader, nearReader, topicsOfClaim } from './claim-reader.ts';
import type { Claim } from './claims.ts';
import { areContained, holds, nameIndex, valueIn } from './reach.ts';
import { findPhysical, findTopics, isSeenAs, type TopicView, type Views } from './topic-views.ts';
import { isApart, isAsStrong, isLater, undoingReader } from './undoing.ts';
import type { JudgeOptions, Weakened } from './weakening.ts';

/** Something that is protected, and that an interceptor takes the protection off for a client: decryption, for example. */
export type Undone = Pick<Weakened, 'protection' | 'certainty' | 'by' | 'claim'> & {
  /** The interceptor that takes it off. */
  readonly through: ChainLink;
  /** The known topics where that is so; none: all that it is for. */
  readonly topics: readonly string[];
  /** The objects that give clients the names of these, where it is told because of those. */
  readonly named?: readonly Address[];
};

/** What is asked about a client: what runs, for it and for all, and what it has of the topics of others. */
type Setting = {
  readonly before: readonly ChainLink[];
  readonly after: readonly ChainLink[];
  readonly virtualCluster: string;
  readonly protecting: Protecting;
  readonly views: Views;
};

/** All interceptors, for whomever they are: what one client encrypts another one reads. */
export type Protecting = { readonly before: readonly ChainLink[]; readonly after: readonly ChainLink[] };

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
          holds(topicsOfClaim(own), name) === 'yes' &&
          !now.some((one) => isAsStrong(own, one) && holds(topicsOfClaim(one), is) !== 'no'),
      );
    };
  };

  /** What an interceptor takes off: of each claim by the names in it, or else by other names, or else by physical ones. */
  const findTaken = (link: ChainLink, undoes: Undoes, setting: Setting): readonly Undone[] => {
    const { before, virtualCluster, protecting, views } = setting;
    const { viewsOf, clusters, leadsAway, isKept } = views;
    const lifted = topicsOf(link);
    const giving = protecting.before.filter((by) => protectionOf(by).includes(undoes.protection));
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
      const all = virtualCluster === PASSTHROUGH ? [...clusters] : [PASSTHROUGH];
      const physical = isKept ? [] : all.filter((of) => isOf(of) && of !== virtualCluster);
      return read(by).flatMap((claim): readonly Undone[] => {
        const near = viewsOfClaims(own).get(claim) ?? [];
        if (!isNear && near.length + physical.length === 0) return [];
        const verdict = takesOff(link, claim);
        if (verdict === 'no') return [];
        const already = before.flatMap((one) =>
          one.pluginClass === link.pluginClass && takesOff(one, claim) === 'yes' ? [topicsOf(one)] : [],
        );
        const names = topicsOfClaim(claim);
        const isSure = verdict === 'yes' && names.type !== 'unknown' && lifted.type !== 'unknown';
        const isHidden =
          [link.config, claim.name, valueIn(names)].some(hasHidden) ||
          (lifted.type === 'unknown' && lifted.isOpen === true);
        const certainty = isSure ? 'weaker' : isHidden ? 'hidden' : 'cannot-tell';
        const undone = { protection: undoes.protection, by, claim, through: link } as const;
        if (isNear) {
          const found = findTopics(names, lifted, already, topicsNear().get(claim) ?? []);
          if (found.length > 0) return found.map((topics) => ({ ...undone, certainty, topics }));
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

  const { near } = nearReader(kinds);
  const nearOf = memoize(({ before, after }: Protecting) => {
    const known = new Set(before.map(textOf));
    return { before: near(before), fresh: near(after.filter((link) => !known.has(textOf(link)))) };
  });
  /** Whether changes encrypt, perhaps, what a mask is for, and nothing encrypted it before. */
  const isNewlyEncrypted = (
    claim: Claim,
    undoes: Undoes,
    { virtualCluster, protecting }: Setting,
  ): boolean => {
    const topics = topicsOfClaim(claim);
    const isIt = (own: Claim): boolean =>
      (own.what !== 'field' || own.name === claim.name) && !isApart(topicsOfClaim(own), topics);
    const encrypts = (by: ChainLink): boolean =>
      isFor(clusterOf(by), virtualCluster) && claimsOf(undoes.protection, [by]).some(isIt);
    const { before, fresh } = nearOf(protecting);
    return fresh(topics).some(encrypts) && !before(topics).some(encrypts);
  };

  /** What runs on a record, such as a mask, before it is decrypted, and ran after that, or had nothing to wait for. What it does then is not documented. */
  const findOvertaken = (setting: Setting): readonly Undone[] => {
    const { before, after, virtualCluster } = setting;
    return after.flatMap((link) => {
      const undoes = undoesOf(link);
      if (undoes === undefined) return [];
      const overtaken = after.filter((by) => protectionOf(by).includes(undoes.after) && isLater(link, by));
      return overtaken.flatMap((by) =>
        read(by).flatMap((claim): readonly Undone[] => {
          if (lifts(link, claim) === 'no') return [];
          const running = isNewlyEncrypted(claim, undoes, setting)
            ? before.filter((one) => !isUndoing(one))
            : before;
          const [had, has] = [namesLate(claim, by, running), namesLate(claim, by, after)];
          if (had.every((names) => areContained(names, has, 'topic') === 'yes')) return [];
          const found = findTopics(topicsOfClaim(claim), topicsOf(link), has, topicsIn(virtualCluster));
          const overtaken = { protection: undoes.after, certainty: 'cannot-tell', by, claim } as const;
          return found.map((topics) => ({ ...overtaken, through: link, topics }));
        }),
      );
    });
  };

  return (
    chains: { readonly before: Chain; readonly after: Chain },
    { virtualCluster }: Pick<Principal, 'virtualCluster'>,
    protecting: Protecting,
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
  const near = nameIndex(claims, topicsOfClaim);
  for (const one of list) {
    const names = calledOf(one);
    for (const claim of names === undefined ? claims : near(names)) addTo(found, claim, one);
  }
  return found;
}

/** What an interceptor does, whatever its name. */
const textOf = ({ pluginClass, config }: ChainLink): string => `${pluginClass} ${canonicalText(config)}`;
