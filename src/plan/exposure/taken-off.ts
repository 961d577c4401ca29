import { claimsReader, dependOnUser } from '../../effective/claim-reader.ts';
import { otherNameJudge, type ByName } from '../../effective/other-names.ts';
import type { Undone } from '../../effective/overtaken.ts';
import { undoneFinder } from '../../effective/undone.ts';
import type { TopicView } from '../../effective/topic-views.ts';
import { undoingReader } from '../../effective/undoing.ts';
import { listClusters, listPrincipals } from '../../effective/principals.ts';
import { chainsOf, linksIn, makeEffectiveState } from '../../effective/effective-state.ts';
import { reachOf, startIndex } from '../../effective/reach.ts';
import { sortsOf } from '../../effective/protection.ts';
import { type Weakened } from '../../effective/weakening.ts';
import { addTo, getOrAdd, groupBy, memoize, once } from '../../model/collect.ts';
import { standsForMany, type Chain, type ChainLink, type Principal } from '../../model/principal.ts';
import { kindOf, type Address, type Resource } from '../../model/resource.ts';
import { HIDDEN } from '../../model/secrets/hidden.ts';
import { idOf, type ChangeId } from '../change/change.ts';
import type { Weakening } from '../change/plan.ts';
import type { PrincipalClass } from './classes.ts';
import { pairChains } from './pair-chains.ts';
import { applyTo, listFollowed, namedOf, statesOf } from './moved-clients.ts';
import {
  findNewNames,
  findShown,
  namesElsewhere,
  namesShown,
  topicViews,
  type NewName,
} from './new-names.ts';
import { groupAlike } from './kept-parts.ts';
import { newlyShowing, shownReader } from './virtual-topics.ts';
import { findChanges, tellEach, tellWeakenings, topicsIn, type Told, type World } from './weakenings.ts';

// What clients read without its protection although no interceptor that protects has changed.

/** What changes let clients read without the protection that interceptors give it for others, as decryption does. */
export function findUndone(
  classes: readonly PrincipalClass[],
  { live, changes, kinds, protectionOf, redaction, topics }: World,
): readonly Weakening[] {
  const { isUndoing } = undoingReader(kinds);
  const find = undoneFinder({
    ...{ protectionOf, kinds },
    topicsIn: topicsIn(() => [live, applyTo(live, changes)], { kinds, redaction, topics }),
  });
  const naming = groupBy(
    changes.filter(({ address }) => {
      const kind = kinds.get(kindOf(address));
      return kind?.standsFor !== undefined || kind?.storedIn !== undefined;
    }),
    ({ address }) => address,
  );
  const known = once(() => {
    const clusters = new Set(statesOf({ live, changes, kinds }).flatMap((state) => [...listClusters(state)]));
    const [before, after] = [live, applyTo(live, changes)].map((state) =>
      [...state].flatMap(([address, resource]) => linksIn(address, resource, kinds)),
    ) as [ChainLink[], ChainLink[]]; // one for each
    const protecting = { before, after };
    return { clusters, protecting, ...topicViews({ live, changes, kinds }, clusters) };
  });
  /** What all interceptors get that take something off, or those that do not change: by names that changes give, or virtual topics. */
  const findIn = (
    pair: Pick<PrincipalClass, 'before' | 'after'>,
    virtualCluster: string,
    get: 'all' | 'named' | 'shown',
  ) => {
    const { clusters, protecting, viewsIn, leadsAway } = known();
    const views = viewsIn(virtualCluster);
    const running = once(() => new Set(pair.after.map(({ one }) => one.address)));
    const fresh = once(() => new Set(newlyShowing(pair, kinds).map(({ address }) => address)));
    const seenAs = (view: TopicView): readonly TopicView[] => {
      const { is, by, former, through } = view;
      if (through === undefined) return get === 'all' || by.some((one) => naming.has(one)) ? [view] : [];
      if (get === 'named' || !running().has(through)) return [];
      if (fresh().has(through)) return [view];
      return get === 'all' ? [{ ...view, former: [...former, is] }] : [];
    };
    const viewsOf = (of: string | undefined) => views(of).flatMap(seenAs);
    return find(pair, { virtualCluster }, protecting, {
      viewsOf,
      clusters,
      leadsAway,
      isKept: get !== 'all',
    });
  };
  type Group = readonly [Undone, ...Undone[]];
  const tell = (found: readonly Undone[], fromOf: (group: Group) => readonly ChangeId[]): readonly Told[] =>
    [...groupBy(found, ({ through }) => through.address).values()].flatMap((group) => {
      const weakened = group.map((each): Weakened => ({ ...each, ...BY_ANOTHER, loss: 'undone' }));
      return tellWeakenings(weakened, () => fromOf(group), redaction);
    });
  const taken = classes.flatMap((one) => {
    if (!one.after.some((link) => isUndoing(link.one))) return [];
    const fresh = newlyShowing(one, kinds);
    const tellIn = (virtualCluster: string): readonly Told[] => [
      ...tell(findIn(one, virtualCluster, 'all'), ([{ through }]) => findChanges(through, one)),
      ...(fresh.length === 0
        ? []
        : tell(findIn(one, virtualCluster, 'shown'), (group) => showing(group, fresh, one))),
    ];
    const inClusters = new Map<string, readonly Told[]>();
    return one.principals.flatMap((principal) =>
      tellEach(
        [principal],
        getOrAdd(inClusters, principal.virtualCluster, () => tellIn(principal.virtualCluster)),
      ),
    );
  });
  // An interceptor that does not change gets what changes give a name that it is for.
  const isThere = ([address, one]: readonly [Address, Resource]): boolean =>
    linksIn(address, one, kinds).some(isUndoing);
  if (naming.size === 0 || ![...live].some(isThere)) return taken;
  const pairsIn = pairChains({ live, changes, kinds });
  const shown = [...known().changedIn()].flatMap((virtualCluster) =>
    pairsIn(virtualCluster).flatMap(({ principals, ...pair }) => {
      if (!pair.after.some((link) => isUndoing(link.one))) return [];
      const found = findIn(pair, virtualCluster, 'named');
      const told = tell(found, (group) => {
        const by = new Set(group.flatMap(({ named = [] }) => named));
        return [...by].flatMap((address) => (naming.get(address) ?? []).map(idOf));
      });
      return tellEach(principals, told);
    }),
  );
  return [...taken, ...shown];
}

/** The changes by which interceptors show virtual topics to clients. */
function showing(
  group: readonly Undone[],
  fresh: readonly ChainLink[],
  one: PrincipalClass,
): readonly ChangeId[] {
  const named = new Set(group.flatMap(({ named: by = [] }) => by));
  const found = fresh.filter(({ address }) => named.has(address)).flatMap((link) => findChanges(link, one));
  return [...new Set(found)];
}

const BY_ANOTHER = { fields: [], against: [] } as const;

/** Virtual topics that clients get to see, and that are protected less than the topics that they read. */
export function findShownNames(classes: readonly PrincipalClass[], world: World): readonly Weakening[] {
  const { kinds, protectionOf, redaction } = world;
  const [read, judge] = [shownReader(kinds), otherNameJudge({ protectionOf, kinds })];
  return classes.flatMap((one) => {
    const fresh = newlyShowing(one, kinds);
    if (fresh.length === 0) return [];
    const ended = endedIn(one, protectionOf);
    return groupAlike(one.principals, true, dependOnUser([one.before, one.after], kinds)).flatMap((whom) => {
      const [principal] = whom;
      const judgeName = judge(one, principal);
      const told = fresh.flatMap((link) => {
        const shown = read(link);
        const names = shown === undefined ? [] : namesShown(shown, link.address, principal.virtualCluster);
        const from = findChanges(link, one);
        return names.flatMap((name) => tellOtherName(judgeName(name), { ...name, from }, ended, redaction));
      });
      return tellEach(whom, told);
    });
  });
}

/** Topics that changes give another name, by which they are protected less than by the names that clients have for them. */
export function findOtherNames(world: World): readonly Weakening[] {
  const { live, changes, kinds, protectionOf, redaction } = world;
  const { renamed: all, judgeIn, namesNear } = listOtherNames(world);
  const renamed = all.filter(({ through }) => through === undefined);
  const elsewhere = findNamesElsewhere(world);
  if (renamed.length === 0) return elsewhere;
  const pairsIn = pairChains({ live, changes, kinds });
  const found = new Map<NewName, Weakening[]>();
  for (const [virtualCluster, names] of groupBy(renamed, (one) => one.virtualCluster)) {
    const near = namesNear(names);
    for (const { principals, ...chains } of pairsIn(virtualCluster)) {
      const ended = endedIn(chains, protectionOf);
      const protectedNames = near(chains.before);
      const tellOf = (principal: Principal): readonly (readonly [NewName, Told])[] => {
        const judge = judgeIn(chains, principal);
        return protectedNames.flatMap((name) =>
          tellOtherName(judge(name), name, ended, redaction).map((told) => [name, told] as const),
        );
      };
      const isByUser = dependOnUser([chains.before, chains.after], kinds);
      const [first] = principals;
      const ofAll = isByUser || first === undefined ? undefined : tellOf(first);
      for (const principal of principals) {
        for (const [name, told] of ofAll ?? tellOf(principal)) addTo(found, name, { ...principal, ...told });
      }
    }
  }
  return [...renamed.flatMap((one) => found.get(one) ?? []), ...elsewhere];
}

/** Topics that clients have by another name in the virtual cluster of the account that they have then. */
function findNamesElsewhere({ live, changes, kinds, protectionOf, redaction }: World): readonly Weakening[] {
  const crossing = listFollowed({ live, changes, kinds }).filter(
    ({ principal, was }) => principal.virtualCluster !== was.virtualCluster,
  );
  if (crossing.length === 0) return [];
  const judge = otherNameJudge({ protectionOf, kinds });
  const namesIn = namesElsewhere({ live, changes, kinds });
  const [before, after] = statesOf({ live, changes, kinds });
  const [chainBefore, chainAfter] = [chainsOf(before), chainsOf(after)];
  const sides = groupBy(crossing, ({ principal, was }) =>
    JSON.stringify([was.virtualCluster, principal.virtualCluster]),
  );
  return [...sides.values()].flatMap((group) => {
    const [{ principal: first, was: former }] = group;
    const names = namesIn(former.virtualCluster, first.virtualCluster);
    const known = new Map<Chain, Map<Chain, readonly (readonly ByName[])[]>>();
    return group.flatMap(({ principal, was, taker }) => {
      const groups = before.groupsOf(was.virtualCluster, namedOf(was).username);
      const chains = { before: chainBefore({ ...was, groups }), after: chainAfter(principal) };
      const find = () => names.map(judge(chains, principal));
      const isByUser = dependOnUser([chains.before, chains.after], kinds);
      const ofChain = getOrAdd(known, chains.before, () => new Map<Chain, ReturnType<typeof find>>());
      const found = isByUser ? find() : getOrAdd(ofChain, chains.after, find);
      const ended = endedIn(chains, protectionOf);
      return names.flatMap((one, at) =>
        tellEach([principal], tellOtherName(found[at] ?? [], { ...one, from: taker }, ended, redaction)),
      );
    });
  });
}

/** The protections that end as a whole, which is told by itself. */
function endedIn({ before, after }: Chains, protectionOf: World['protectionOf']): readonly string[] {
  const kept = sortsOf(after, protectionOf);
  return sortsOf(before, protectionOf).filter((one) => !kept.includes(one));
}

type Chains = { readonly before: Chain; readonly after: Chain };

/** The names that topics get, also of what something masks in another virtual cluster, and what protects them for a client. */
export function listOtherNames({ live, changes, kinds, protectionOf, topics }: Omit<World, 'redaction'>): {
  readonly renamed: readonly NewName[];
  readonly judgeIn: (chains: Chains, principal: Principal) => (name: NewName) => readonly ByName[];
  /** Those of some names of whose topics a chain, or that of another virtual cluster, perhaps protects something. */
  readonly namesNear: (names: readonly NewName[]) => (before: Chain) => readonly NewName[];
} {
  const maskedIn = once(() => chainsThatMask(live, { kinds, protectionOf }));
  const judge = otherNameJudge({ protectionOf, kinds });
  const read = claimsReader(kinds);
  return {
    renamed: [
      ...findNewNames({ live, changes, kinds }, () => [...maskedIn().keys()], topics),
      ...findShown({ live, changes, kinds }),
    ],
    namesNear: (names) => {
      const always = names.filter(({ was, of }) => was === HIDDEN || of !== undefined);
      const known = names.flatMap((one) => {
        if (one.was === HIDDEN || one.of !== undefined) return [];
        const own = one.was.map((name) => ({ type: 'one', name }) as const);
        return [...own, ...one.stored].map((topics) => ({ one, topics }));
      });
      const find = startIndex(known, ({ topics }) => topics);
      const nearTo = memoize((link: ChainLink) => {
        const reaches = read(link).map(({ limits }) => reachOf(limits).get('topic'));
        return new Set(reaches.flatMap((topics) => (topics ? find(topics) : [])).map(({ one }) => one));
      });
      return (before) => [...new Set([...always, ...before.flatMap(({ one }) => [...nearTo(one)])])];
    },
    judgeIn: ({ before, after }, principal) => {
      const judges = new Map<string | undefined, ReturnType<typeof judge>>();
      return (name) => {
        const { of, through } = name;
        // A virtual topic is there for those for whom its interceptor runs.
        if (through !== undefined && !after.some(({ one }) => one.address === through)) return [];
        const own = getOrAdd(judges, of, () =>
          judge({ before: of === undefined ? before : (maskedIn().get(of) ?? []), after }, principal),
        );
        return own(name);
      };
    },
  };
}

/** What runs for all other clients of the virtual clusters in which something masks what they read. */
function chainsThatMask(
  live: ReadonlyMap<Address, Resource>,
  { kinds, protectionOf }: Pick<World, 'kinds' | 'protectionOf'>,
): ReadonlyMap<string, Chain> {
  const state = makeEffectiveState(live, kinds);
  const chainOf = chainsOf(state);
  const masks = ({ one }: Chain[number]): boolean => protectionOf(one).some(isOfData);
  return new Map(
    listPrincipals(state)
      .filter(standsForMany)
      .map((others) => [others.virtualCluster, chainOf(others)] as const)
      .filter(([, chain]) => chain.some(masks)),
  );
}

function tellOtherName(
  found: readonly ByName[],
  name: Omit<NewName, 'from'> & { readonly from: ChangeId | readonly ChangeId[] },
  ended: readonly string[],
  redaction: World['redaction'],
): readonly Told[] {
  if (found.length === 0) return []; // which is so for most of a million
  const { is, from, through } = name;
  const weakened = found.flatMap(
    ({ protection, by, claim, verdict, left, isHidden }): readonly Weakened[] => {
      if (verdict === 'yes' || ended.includes(protection) || !concerns(name, protection)) return [];
      // Whether a virtual topic is protected as its topic is not documented.
      const isSure = verdict === 'no' && through === undefined;
      const certainty = isHidden ? 'hidden' : isSure ? 'weaker' : 'cannot-tell';
      const loss = left.some((one) => one.protection === protection) ? 'part' : 'whole';
      return [{ protection, certainty, by, claim, ...BY_ANOTHER, loss, topics: [is] }];
    },
  );
  return tellWeakenings(weakened, () => [from].flat(), redaction);
}

/** A virtual topic is only read; of what clients of another virtual cluster are given, only the data counts. */
export function concerns({ of, through }: Pick<NewName, 'of' | 'through'>, protection: string): boolean {
  return of === undefined ? through === undefined || !OF_WRITES.has(protection) : isOfData(protection);
}

const OF_WRITES: ReadonlySet<string> = new Set(['encryption', 'access', 'safeguard', 'data-quality']);

/** Whether it protects what is read, not who reads it. */
function isOfData(protection: string): boolean {
  return protection !== 'audit' && !OF_WRITES.has(protection);
}
