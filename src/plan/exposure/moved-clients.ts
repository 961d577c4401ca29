import {
  factsOf,
  makeEffectiveState,
  scopeKeyOf,
  userKey,
  type EffectiveState,
} from '../../effective/effective-state.ts';
import { identityOf } from '../../effective/list-present.ts';
import { listNamed } from '../../effective/principals.ts';
import { groupBy } from '../../model/collect.ts';
import type { KindSet } from '../../model/kind.ts';
import type { Fact, Named, Principal } from '../../model/principal.ts';
import type { Address, Resource } from '../../model/resource.ts';
import { afterOf, type ChangeId, idOf, type DraftChange } from '../change/change.ts';

/** Live resources, changes of them, and their kinds. */
export type Transition = {
  readonly live: ReadonlyMap<Address, Resource>;
  readonly changes: readonly DraftChange[];
  readonly kinds: KindSet;
};

/** A client that has another account after a plan. */
export type Moved = {
  readonly principal: Principal;
  /** Its account before, or itself. */
  readonly was: Principal;
  readonly hadAccount: boolean;
  /** The change that gives it the other account. Until then it counts as the former one. */
  readonly taker: ChangeId;
};

/** An account that goes on by another name. */
export type Renamed = { readonly was: Named; readonly is: Named; readonly by: ChangeId };

/**
 * The accounts that changes rename. Whose client it is changes at a moment that no change makes: it is compared before and after,
 * and counts as the former one until that is deleted.
 */
export function listRenamed({ live, changes, kinds }: Transition): readonly Renamed[] {
  const moves = changes.flatMap((change) =>
    change.action === 'delete' && change.movedTo !== undefined ? [{ change, to: change.movedTo }] : [],
  );
  if (moves.length === 0) return [];
  const after = applyTo(live, changes);
  return moves.flatMap(({ change, to }) => {
    const was = accountIn(change.address, change.before, kinds);
    const is = accountIn(to, after.get(to), kinds);
    return was === undefined || is === undefined ? [] : [{ was, is, by: idOf(change) }];
  });
}

/**
 * The accounts that changes create, as if each was nobody's: what others give to its name, no client of it had. One whose clients all
 * had the same account, which is gone, goes on for that one; those of several are each looked at alone.
 */
export function listCreated(
  { changes, kinds }: Omit<Transition, 'live'>,
  followed: readonly Moved[],
): readonly Renamed[] {
  const comers = groupBy(followed, ({ principal }) => identityOf(principal));
  const gone = new Set<string>();
  const created = changes.flatMap((change) => {
    if (change.action === 'delete' && comers.size > 0) {
      const was = accountIn(change.address, change.before, kinds);
      if (was !== undefined) gone.add(identityOf(was));
    }
    if (change.action !== 'create') return [];
    const is = accountIn(change.address, change.after, kinds);
    return is === undefined ? [] : [{ change, is }];
  });
  for (const { is } of created) gone.delete(identityOf(is));
  return created.flatMap(({ change, is }): readonly Renamed[] => {
    if (change.movedFrom !== undefined) return [];
    const by = idOf(change);
    const own = comers.get(identityOf(is)) ?? [];
    const names = own.length === 0 ? [] : externalNamesIn(change.address, change.after, kinds);
    const [former] = own;
    if (former === undefined || own.length < names.length)
      return [{ was: { ...is, username: NOBODY }, is, by }];
    const was = namedOf(former.was);
    const isAll = own.every((one) => identityOf(one.was) === identityOf(was)) && gone.has(identityOf(was));
    return isAll && was.virtualCluster === is.virtualCluster ? [{ was, is, by }] : [];
  });
}

/** No account has this name. */
export const NOBODY = '';

/** The account of a client that has one. */
export function namedOf({ virtualCluster, username }: Principal): Named {
  return { virtualCluster, username: username ?? NOBODY };
}

function accountIn(address: Address, one: Resource | undefined, kinds: KindSet): Named | undefined {
  const [account] = factsIn('account', address, one, kinds);
  return account && { virtualCluster: account.virtualCluster, username: account.username };
}

function externalNamesIn(address: Address, one: Resource | undefined, kinds: KindSet): readonly string[] {
  return factsIn('external-name', address, one, kinds).map(({ name }) => name);
}

function factsIn<T extends Fact['type']>(
  type: T,
  address: Address,
  one: Resource | undefined,
  kinds: KindSet,
): readonly Extract<Fact, { type: T }>[] {
  const facts = one === undefined ? [] : factsOf(address, one, kinds);
  return facts.filter((fact): fact is Extract<Fact, { type: T }> => fact.type === type);
}

/** The clients that have another account after changes, whatever runs for them. */
export function listFollowed(
  { live, changes, kinds }: Transition,
  renamed: readonly Renamed[] = listRenamed({ live, changes, kinds }),
): readonly Moved[] {
  const takers = takersOf({ live, changes, kinds });
  if (takers.size + renamed.length === 0) return [];
  const { movers, renames } = followClients(...statesOf({ live, changes, kinds }), takers, renamed);
  return [...movers, ...renames];
}

/** The changes that give an external name to another account, by the name. */
export function takersOf({ live, changes, kinds }: Transition): ReadonlyMap<string, ChangeId> {
  const takers = new Map<string, ChangeId>();
  for (const change of changes) {
    const { address } = change;
    const had = new Set(externalNamesIn(address, live.get(address), kinds));
    for (const name of externalNamesIn(address, afterOf(change), kinds))
      if (!had.has(name)) takers.set(name, idOf(change));
  }
  return takers;
}

/** The clients that have another account after changes: by their external name, or because the account is renamed. */
export function followClients(
  before: EffectiveState,
  after: EffectiveState,
  takers: ReadonlyMap<string, ChangeId>,
  renamed: readonly Renamed[],
): { readonly movers: readonly Moved[]; readonly renames: readonly Moved[] } {
  const movers = listMoved(before, after, takers);
  return { movers, renames: followRenamed(renamed, movers, after) };
}

/** The clients of accounts that are renamed, but for those that are told of by their external name. */
function followRenamed(
  renamed: readonly Renamed[],
  movers: readonly Moved[],
  after: EffectiveState,
): readonly Moved[] {
  const followed = new Set(movers.map(({ was }) => identityOf(was)));
  return renamed
    .filter(({ was }) => !followed.has(identityOf(was)))
    .map(({ was, is, by }) => {
      const groups = after.groupsOf(is.virtualCluster, is.username);
      const principal = { ...is, groups, identity: { was } };
      return { principal, was: { ...was, groups: [] }, hadAccount: true, taker: by };
    });
}

/** Those whose external name changes give to another account, or to one at all. */
function listMoved(
  before: EffectiveState,
  after: EffectiveState,
  takers: ReadonlyMap<string, ChangeId>,
): readonly Moved[] {
  if (takers.size === 0) return [];
  const named = listNamed(before);
  const external = new Set(
    [...before.facts()].flatMap((fact) =>
      fact.type === 'external-name' ? userKey(fact.virtualCluster, fact.username) : [],
    ),
  );
  const accountsOf = (state: EffectiveState): ReadonlyMap<string, Named> =>
    new Map([...state.facts()].flatMap((fact) => (fact.type === 'external-name' ? [[fact.name, fact]] : [])));
  const [old, now] = [accountsOf(before), accountsOf(after)];
  return [...takers].flatMap(([externalName, taker]): readonly Moved[] => {
    const is = now.get(externalName);
    if (is === undefined) return [];
    // Without an account, its name is the external one: it is a client if an interceptor is for it. So is a LOCAL account of that name.
    const { virtualCluster: vCluster } = is;
    const key = userKey(vCluster, externalName);
    const isClient = named.has(key)
      ? !external.has(key)
      : before.hasLinks(scopeKeyOf({ vCluster, username: externalName }));
    const itself = { virtualCluster: vCluster, username: externalName };
    const was = old.get(externalName) ?? (isClient ? itself : undefined);
    if (was === undefined) return [];
    const [from, to] = [was, is].map(({ virtualCluster, username }): Principal => ({
      ...{ virtualCluster, username },
      groups: after.groupsOf(virtualCluster, username),
    })) as [Principal, Principal]; // one for each
    if (identityOf(from) === identityOf(to)) return [];
    const { virtualCluster, username } = was;
    const identity = { externalName, was: { virtualCluster, username } };
    return [{ principal: { ...to, identity }, was: from, hadAccount: old.has(externalName), taker }];
  });
}

/** What resources say of principals before changes and after them. */
export function statesOf({ live, changes, kinds }: Transition): readonly [EffectiveState, EffectiveState] {
  return [makeEffectiveState(live, kinds), makeEffectiveState(applyTo(live, changes), kinds)];
}

/** The resources after the changes. */
export function applyTo(
  live: ReadonlyMap<Address, Resource>,
  changes: readonly DraftChange[],
): ReadonlyMap<Address, Resource> {
  const after = new Map(live);
  for (const change of changes) {
    const resource = afterOf(change);
    if (resource === undefined) after.delete(change.address);
    else after.set(change.address, resource);
  }
  return after;
}
