import { otherNameJudge, type ByName } from '../../effective/other-names.ts';
import { undoneFinder, type TopicView, type Undone } from '../../effective/undone.ts';
import { listPrincipals } from '../../effective/principals.ts';
import {
  chainsOf,
  factsOf,
  linksIn,
  makeEffectiveState,
  userKey,
  type EffectiveState,
} from '../../effective/effective-state.ts';
import { sortsOf } from '../../effective/protection.ts';
import { weakeningJudge, type Weakened } from '../../effective/weakening.ts';
import { addTo, getOrAdd, groupBy, present } from '../../model/collect.ts';
import { parsePointer, printPointer, type Pointer } from '../../model/json/json.ts';
import { withDefaults } from '../../model/normal/normal-form.ts';
import { standsForMany, type Chain, type Named, type Principal } from '../../model/principal.ts';
import type { Kind, KindSet } from '../../model/kind.ts';
import { kindOf, type Address, type Resource } from '../../model/resource.ts';
import { HIDDEN } from '../../model/secrets/secrets.ts';
import { afterOf, beforeOf, idOf, type ChangeId } from '../change/change.ts';
import type { Weakening } from '../change/plan.ts';
import { pairChains, type PrincipalClass } from './classes.ts';
import {
  applyTo,
  identityOf,
  listCreated,
  listFollowed,
  listRenamed,
  namedOf,
  NOBODY,
  type Moved,
  type Renamed,
} from './moved-clients.ts';
import { findNewNames, findShown, namesElsewhere, topicViews, type NewName } from './new-names.ts';
import { findChanges, tellWeakenings, topicsIn, type Told, type World } from './weakenings.ts';

// What clients read without its protection although no interceptor that protects has changed.

/** What changes let clients read without the protection that interceptors give it for others, as decryption does. */
export function findUndone(
  classes: readonly PrincipalClass[],
  { live, changes, kinds, protectionOf, redaction, topics }: World,
): readonly Weakening[] {
  const { isUndoing, find } = undoneFinder({
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
  let known: ReturnType<typeof readAll> | undefined;
  const readAll = () => {
    const clusters = new Set(
      listPrincipals(makeEffectiveState(live, kinds)).map((one) => one.virtualCluster),
    );
    const protecting = [...live].flatMap(([address, resource]) => linksIn(address, resource, kinds));
    return { clusters, protecting, ...topicViews(changes, live, kinds, clusters) };
  };
  const findIn = (
    pair: Pick<PrincipalClass, 'before' | 'after'>,
    virtualCluster: string,
    isKept: boolean,
  ) => {
    const { clusters, protecting, viewsIn, leadsAway } = (known ??= readAll());
    const views = viewsIn(virtualCluster);
    const isChanged = ({ by }: TopicView): boolean => by.some((one) => naming.has(one));
    const viewsOf = (of: string | undefined) => (isKept ? views(of).filter(isChanged) : views(of));
    return find(pair, { virtualCluster }, protecting, { viewsOf, clusters, leadsAway, isKept });
  };
  type Group = readonly [Undone, ...Undone[]];
  const tell = (found: readonly Undone[], fromOf: (group: Group) => readonly ChangeId[]): readonly Told[] =>
    [...groupBy(found, ({ through }) => through.address).values()].flatMap((group) => {
      const weakened = group.map((each): Weakened => ({ ...each, ...BY_ANOTHER, loss: 'undone' }));
      return tellWeakenings(weakened, () => fromOf(group), redaction);
    });
  const taken = classes.flatMap((one) => {
    if (!one.after.some(isUndoing)) return [];
    const inClusters = new Map<string, readonly Told[]>();
    return one.principals.flatMap((principal) => {
      const told = getOrAdd(inClusters, principal.virtualCluster, () =>
        tell(findIn(one, principal.virtualCluster, false), ([{ through }]) => findChanges(through, one)),
      );
      return told.map((each) => ({ ...principal, ...each }));
    });
  });
  // An interceptor that does not change gets what changes give a name that it is for.
  const isThere = ([address, one]: readonly [Address, Resource]): boolean =>
    linksIn(address, one, kinds).some((link) => isUndoing({ one: link, overrides: [] }));
  if (naming.size === 0 || ![...live].some(isThere)) return taken;
  known ??= readAll();
  const pairsIn = pairChains(live, changes, kinds);
  const shown = [...known.changedIn()].flatMap((virtualCluster) =>
    pairsIn(virtualCluster).flatMap(({ principals, ...pair }) => {
      if (!pair.after.some(isUndoing)) return [];
      const found = findIn(pair, virtualCluster, true);
      const told = tell(found, (group) => {
        const by = new Set(group.flatMap(({ named = [] }) => named));
        return [...by].flatMap((address) => (naming.get(address) ?? []).map(idOf));
      });
      return principals.flatMap((principal) => told.map((each) => ({ ...principal, ...each })));
    }),
  );
  return [...taken, ...shown];
}

const BY_ANOTHER = { fields: [], against: [] } as const;

/** What objects enforce themselves, and no longer do with their changes. */
export function findLoosened({ changes, ...world }: World): readonly Weakening[] {
  const { live, kinds } = world;
  const moved = listRenamed(live, changes, kinds);
  const followed = listFollowed(live, changes, kinds, moved);
  const renamed = [...moved, ...listCreated(changes, kinds, followed)];
  const own = [
    ...findLoosenedByName({ changes, ...world }),
    ...findLoosenedFor(withoutPairs(followed, renamed), { changes, ...world }),
    ...changes.flatMap((change) =>
      loosenedBy(change.address, [beforeOf(change), afterOf(change)], idOf(change), world, renamed),
    ),
  ];
  if (renamed.length === 0) return own;
  const changed = new Set(changes.map(({ address }) => address));
  const byOf = new Map(renamed.map(({ is, by }) => [userKey(is.virtualCluster, is.username), by]));
  const [{ by }] = renamed as [Renamed]; // has one
  const others = [...live].flatMap(([address, one]) =>
    changed.has(address) ? [] : loosenedBy(address, [one, one], by, world, renamed),
  );
  return [
    ...own,
    ...others.map((one) => ({
      ...one,
      from: [byOf.get(userKey(one.virtualCluster, one.username ?? '')) ?? by] as const,
    })),
  ];
}

/** Those of whom the account itself is not compared with its former name. */
function withoutPairs(followed: readonly Moved[], renamed: readonly Renamed[]): readonly Moved[] {
  if (followed.length === 0) return followed;
  const keyOf = (was: Named, is: Named): string => `${identityOf(was)} ${identityOf(is)}`;
  const pairs = new Set(renamed.map(({ was, is }) => keyOf(was, is)));
  return followed.filter(
    ({ was, principal }) =>
      was.virtualCluster !== principal.virtualCluster || !pairs.has(keyOf(namedOf(was), namedOf(principal))),
  );
}

/** What virtual clusters enforced for single clients by their former account, and do not by the one that they have then. */
function findLoosenedFor(followed: readonly Moved[], { changes, ...world }: World): readonly Weakening[] {
  if (followed.length === 0) return [];
  const { live, kinds } = world;
  const [before, after] = [live, applyTo(live, changes)].map((all) => enforcersIn(all, kinds)) as [
    ReadonlyMap<string, Enforcer>,
    ReadonlyMap<string, Enforcer>,
  ]; // one for each
  return followed.flatMap(({ principal, was, taker }): readonly Weakening[] => {
    const enforcer = before.get(was.virtualCluster);
    if (enforcer === undefined) return [];
    const { address, kind, one } = enforcer;
    const [former, is] = [namedOf(was), { ...namedOf(principal), virtualCluster: was.virtualCluster }];
    // What named the other account before was about another client.
    const free = is.username === former.username ? one : kind.renaming(one, is, { ...is, username: NOBODY });
    const as = kind.renaming(free, former, is);
    const isSame = principal.virtualCluster === was.virtualCluster;
    if (isSame && as === one) return [];
    const now = after.get(principal.virtualCluster)?.one;
    const otherwise = now ?? { ...one, spec: {} };
    const found = loosenedBy(address, [as, otherwise], taker, world, [], principal);
    // ACLs of two virtual clusters are about different topics.
    const own = isSame ? found : found.filter(({ parts }) => parts.every(({ loss }) => loss === 'whole'));
    return now === undefined ? own.map((each) => ({ ...each, certainty: 'cannot-tell' })) : own;
  });
}

/** An object that enforces something itself for the clients of a virtual cluster. */
type Enforcer = {
  readonly address: Address;
  readonly kind: Kind & Required<Pick<Kind, 'renaming'>>;
  readonly one: Resource;
};

function enforcersIn(all: ReadonlyMap<Address, Resource>, kinds: KindSet): ReadonlyMap<string, Enforcer> {
  const found = new Map<string, Enforcer>();
  for (const [address, resource] of all) {
    const kind = kinds.get(kindOf(address));
    const renaming = kind?.renaming?.bind(kind);
    if (kind?.loosens === undefined || renaming === undefined) continue;
    const one = withDefaults(kind, resource);
    for (const fact of factsOf(address, resource, kinds))
      if (fact.type === 'virtual-cluster')
        found.set(fact.name, { address, kind: { ...kind, renaming }, one });
  }
  return found;
}

/** What objects enforce for a topic by the names that clients have for it, and not by one that it gets. */
function findLoosenedByName({ changes, ...world }: World): readonly Weakening[] {
  const { live, kinds } = world;
  const after = applyTo(live, changes);
  const enforcing = [...live].flatMap(([address, was]) => {
    const [kind, is] = [kinds.get(kindOf(address)), after.get(address)];
    const forTopic = kind?.forTopic?.bind(kind);
    if (kind === undefined || forTopic === undefined || is === undefined) return [];
    return [{ address, forTopic, was: withDefaults(kind, was), is: withDefaults(kind, is) }];
  });
  if (enforcing.length === 0) return [];
  return findNewNames(changes, live, kinds).flatMap(({ virtualCluster, was, stored, is: as, from }) => {
    const isHidden = was === HIDDEN;
    const ofStored = stored.flatMap((one) => (one.type === 'one' ? [one.name] : []));
    const names = isHidden ? [HIDDEN] : [...was, ...ofStored];
    const found = names.map((name) =>
      enforcing.flatMap(({ address, forTopic, ...one }) => {
        const [before, otherwise] = [one.was, one.is].map((state) =>
          forTopic(state, { virtualCluster, name, as }),
        );
        const now = forTopic(one.is, { virtualCluster, name: as, as });
        // What it enforces by no name any more is told of its own change.
        const isByName = loosenedBy(address, [otherwise, now], from, world, []).length > 0;
        const found = isByName ? loosenedBy(address, [before, now], from, world, []) : [];
        // Of a list, only the part for the topic was looked at.
        return found.map((each) => ({ ...each, fields: each.fields.map(withoutIndex) }));
      }),
    );
    // A name by which it was open before makes another one no worse.
    const [first = []] = found.every((each) => each.length > 0) ? found : [];
    return isHidden ? first.map((one) => ({ ...one, certainty: 'hidden' })) : first;
  });
}

function withoutIndex(pointer: Pointer): Pointer {
  return pointer.replace(/\/\d+$/, '') as Pointer; // one still
}

function loosenedBy(
  address: Address,
  [before, after]: readonly [Resource | undefined, Resource | undefined],
  from: ChangeId,
  { live, kinds, redaction }: Omit<World, 'changes'>,
  renamed: readonly Renamed[],
  only?: Principal,
): readonly Weakening[] {
  const kind = kinds.get(kindOf(address));
  if (kind?.loosens === undefined || before === undefined || after === undefined) return [];
  const was = renamed.reduce(
    (one, { was: former, is }) => kind.renaming?.(one, former, is) ?? one,
    withDefaults(kind, before),
  );
  const found = kind.loosens(was, withDefaults(kind, after));
  return found.flatMap(({ protection, what, at, virtualCluster, who, ...lost }): readonly Weakening[] => {
    const isOne = 'username' in who;
    const fields = [isOne ? printPointer(parsePointer(at).slice(0, -1)) : at];
    const parts: Weakening['parts'] = [{ what, names: [], ...lost }];
    const told = {
      protection,
      certainty: isOne || redaction.showsAt(address, at) ? 'weaker' : 'hidden',
      by: address,
      fields,
      parts,
      from: [from],
    } as const;
    if (only !== undefined) {
      const { username } = only;
      const isIt = isOne ? who.username === username : !who.allBut.includes(username ?? '');
      return isIt ? [{ ...only, ...told }] : [];
    }
    if (isOne) {
      const username = redaction.showsAt(address, at) ? who.username : HIDDEN;
      return [{ virtualCluster, username, groups: [], ...told }];
    }
    return listPrincipals(makeEffectiveState(live, kinds)).flatMap((one) =>
      one.virtualCluster === virtualCluster && !who.allBut.includes(one.username ?? '')
        ? [{ ...one, ...told }]
        : [],
    );
  });
}

/** Topics that changes give another name, by which they are protected less than by the names that clients have for them. */
export function findOtherNames(world: World): readonly Weakening[] {
  const { live, changes, kinds, protectionOf, redaction } = world;
  const { renamed, maskedIn } = listOtherNames(world);
  const options = { protectionOf, kinds };
  const judge = otherNameJudge(options);
  const elsewhere = findNamesElsewhere(world, judge);
  if (renamed.length === 0) return elsewhere;
  const { namesUsers } = weakeningJudge({ ...options, topicsIn: () => [] });
  const pairsIn = pairChains(live, changes, kinds);
  const found = new Map<NewName, Weakening[]>();
  for (const [virtualCluster, names] of groupBy(renamed, (one) => one.virtualCluster))
    for (const { principals, ...chains } of pairsIn(virtualCluster)) {
      const isByUser = [...chains.before, ...chains.after].some(({ one }) => namesUsers(one));
      const kept = sortsOf(chains.after, protectionOf);
      // Where a protection ends as a whole, that is told by itself.
      const ended = sortsOf(chains.before, protectionOf).filter((one) => !kept.includes(one));
      let told: readonly (readonly Told[])[] = [];
      for (const [at, principal] of principals.entries()) {
        if (at === 0 || isByUser) {
          const judges = new Map<string | undefined, ReturnType<typeof judge>>();
          const unprotectedAs = ({ of }: NewName): ReturnType<typeof judge> =>
            getOrAdd(judges, of, () => {
              const before = of === undefined ? undefined : maskedIn().get(of);
              return judge({ ...chains, ...present({ before }) }, principal);
            });
          told = names.map((one) =>
            isIn(chains.after, one) ? tellOtherName(unprotectedAs(one)(one), one, ended, redaction) : [],
          );
        }
        for (const [of, name] of names.entries())
          for (const one of told[of] ?? []) addTo(found, name, { ...principal, ...one });
      }
    }
  return [...renamed.flatMap((one) => found.get(one) ?? []), ...elsewhere];
}

/** Topics that clients have by another name in the virtual cluster of the account that they have then. */
function findNamesElsewhere(
  { live, changes, kinds, protectionOf, redaction }: World,
  judge: ReturnType<typeof otherNameJudge>,
): readonly Weakening[] {
  const crossing = listFollowed(live, changes, kinds).filter(
    ({ principal, was }) => principal.virtualCluster !== was.virtualCluster,
  );
  if (crossing.length === 0) return [];
  const namesIn = namesElsewhere(changes, live, kinds);
  const [before, after] = [live, applyTo(live, changes)].map((all) => makeEffectiveState(all, kinds)) as [
    EffectiveState,
    EffectiveState,
  ]; // one for each
  const [chainBefore, chainAfter] = [chainsOf(before), chainsOf(after)];
  const { namesUsers } = weakeningJudge({ protectionOf, kinds, topicsIn: () => [] });
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
      const isByUser = [...chains.before, ...chains.after].some(({ one }) => namesUsers(one));
      const ofChain = getOrAdd(known, chains.before, () => new Map<Chain, ReturnType<typeof find>>());
      const found = isByUser ? find() : getOrAdd(ofChain, chains.after, find);
      const kept = sortsOf(chains.after, protectionOf);
      const ended = sortsOf(chains.before, protectionOf).filter((one) => !kept.includes(one));
      return names.flatMap((one, at) =>
        tellOtherName(found[at] ?? [], { ...one, from: taker }, ended, redaction).map((told) => ({
          ...principal,
          ...told,
        })),
      );
    });
  });
}

/** The names that topics get, also of what something masks in another virtual cluster: for what runs there. */
export function listOtherNames({ live, changes, kinds, protectionOf }: Omit<World, 'redaction'>): {
  readonly renamed: readonly NewName[];
  readonly maskedIn: () => ReadonlyMap<string, Chain>;
} {
  let masked: ReadonlyMap<string, Chain> | undefined;
  const maskedIn = (): ReadonlyMap<string, Chain> =>
    (masked ??= chainsThatMask(live, { kinds, protectionOf }));
  const renamed = [
    ...findNewNames(changes, live, kinds, () => [...maskedIn().keys()]),
    ...findShown(changes, live, kinds),
  ];
  return { renamed, maskedIn };
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
  name: NewName,
  ended: readonly string[],
  redaction: World['redaction'],
): readonly Told[] {
  if (found.length === 0) return []; // which is so for most of a million
  const { is, from, through } = name;
  const weakened = found.flatMap(({ protection, by, claim, verdict, isHidden }): readonly Weakened[] => {
    if (verdict === 'yes' || ended.includes(protection) || !concerns(name, protection)) return [];
    // Whether a virtual topic is protected as its topic is not documented.
    const isSure = verdict === 'no' && through === undefined;
    const certainty = isHidden ? 'hidden' : isSure ? 'weaker' : 'cannot-tell';
    return [{ protection, certainty, by, claim, ...BY_ANOTHER, loss: 'whole', topics: [is] }];
  });
  return tellWeakenings(weakened, () => [from], redaction);
}

/** Whether clients with these interceptors are shown a topic by its new name. */
export function isIn(chain: Chain, { through }: NewName): boolean {
  return through === undefined || chain.some(({ one }) => one.address === through);
}

/** A virtual topic is only read; of what clients of another virtual cluster are given, only the data counts. */
export function concerns({ of, through }: NewName, protection: string): boolean {
  return of === undefined ? through === undefined || !OF_WRITES.has(protection) : isOfData(protection);
}

const OF_WRITES: ReadonlySet<string> = new Set(['encryption', 'access', 'safeguard', 'data-quality']);

/** Whether it protects what is read, not who reads it. */
function isOfData(protection: string): boolean {
  return protection !== 'audit' && !OF_WRITES.has(protection);
}
