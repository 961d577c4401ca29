import { identityOf } from '../../effective/list-present.ts';
import { listExternalPrincipals, listPrincipals } from '../../effective/principals.ts';
import { factsOf, makeEffectiveState, userKey } from '../../effective/effective-state.ts';
import { parentOf, type Pointer } from '../../model/json/json.ts';
import { withDefaults } from '../../model/normal/normal-form.ts';
import type { Named, Principal } from '../../model/principal.ts';
import type { Kind, KindSet } from '../../model/kind.ts';
import { kindOf, type Address, type Resource } from '../../model/resource.ts';
import { HIDDEN } from '../../model/secrets/hidden.ts';
import { afterOf, beforeOf, idOf, type ChangeId } from '../change/change.ts';
import type { Weakening } from '../change/plan.ts';
import {
  applyTo,
  listCreated,
  listFollowed,
  listRenamed,
  namedOf,
  NOBODY,
  type Moved,
  type Renamed,
} from './moved-clients.ts';
import { findNewNames } from './new-names.ts';
import type { World } from './weakenings.ts';

/** What objects enforce themselves, and no longer do with their changes. */
export function findLoosened({ changes, ...world }: World): readonly Weakening[] {
  const { live, kinds } = world;
  const moved = listRenamed({ live, changes, kinds });
  const followed = listFollowed({ live, changes, kinds }, moved);
  const renamed = [...moved, ...listCreated({ changes, kinds }, followed)];
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
  const [before, after] = [enforcersIn(live, kinds), enforcersIn(applyTo(live, changes), kinds)];
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
  return findNewNames({ live, changes, kinds }).flatMap(({ stored, is: as, from, ...named }) => {
    const { virtualCluster, was, isOwn } = named;
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
    const denied = found.filter((each) => each.length > 0);
    const [first = []] = denied.length === found.length || (isOwn && ofStored.length > 0) ? denied : [];
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
    const fields = [isOne ? parentOf(at) : at];
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
    const state = makeEffectiveState(live, kinds);
    return [...listPrincipals(state), ...listExternalPrincipals(state)].flatMap((one) =>
      one.virtualCluster === virtualCluster && !who.allBut.includes(one.username ?? '')
        ? [{ ...one, ...told }]
        : [],
    );
  });
}
