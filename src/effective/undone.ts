import { addTo, getOrAdd, groupBy, once } from '../model/collect.ts';
import type { Undoes } from '../model/kind.ts';
import { hasHidden } from '../model/secrets/hidden.ts';
import { PASSTHROUGH, type Chain, type ChainLink, type Principal } from '../model/principal.ts';
import { claimsReader, topicsOfClaim } from './claim-reader.ts';
import type { Claim } from './claims.ts';
import { holds, nameIndex, valueIn } from './reach.ts';
import {
  clusterOf,
  isFor,
  overtakenFinder,
  textOf,
  type Protecting,
  type Setting,
  type Undone,
} from './overtaken.ts';
import { findPhysical, findTopics, isSeenAs, type TopicView, type Views } from './topic-views.ts';
import { isAsStrong, undoingReader } from './undoing.ts';
import type { JudgeOptions } from './weakening.ts';

/**
 * Finds what a client gets without its protection after a change and did not get so before: of what these interceptors protect,
 * for whomever they do it, since what one client encrypts another one reads.
 */
export function undoneFinder(options: JudgeOptions) {
  const { protectionOf, kinds, topicsIn } = options;
  const read = claimsReader(kinds);
  const { undoesOf, isUndoing, topicsOf, takesOff } = undoingReader(kinds);
  const findOvertaken = overtakenFinder(options);
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
