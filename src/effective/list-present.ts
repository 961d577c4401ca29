import type { Principal } from '../model/principal.ts';
import { externalKey, userKey, type EffectiveState } from './effective-state.ts';
import { listExternalPrincipals, listNamed, listPrincipals } from './principals.ts';

/** The principals that are there before and after changes, and those that are there only after, with their groups after. */
export function listPresent(
  before: EffectiveState,
  after: EffectiveState,
): readonly { readonly principal: Principal; readonly isLasting: boolean }[] {
  const [old, now] = [before, after].map(
    (state) => new Map(listPrincipals(state).map((one) => [identityOf(one), one])),
  ) as [Map<string, Principal>, Map<string, Principal>]; // one for each
  const named = new Set([before, after].flatMap((state) => [...listNamed(state)]));
  const gone = new Set([...old].flatMap(([key, one]) => (now.has(key) ? [] : [one])));
  const isLasting = (one: Principal): boolean => {
    if (old.has(identityOf(one)) && now.has(identityOf(one))) return true;
    // No object makes them: they are there as long as their virtual cluster is.
    const isFree = one.username === null ? one.externalGroup !== undefined : !named.has(keyOf(one));
    const anybody = identityOf({ virtualCluster: one.virtualCluster, username: null });
    return isFree && old.has(anybody) && now.has(anybody);
  };
  return [...now.values(), ...gone, ...listExternalPrincipals(after, before)].flatMap((one) => {
    const principal: Principal = { ...one, groups: groupsOf(one, after) };
    const lasts = isLasting(one);
    return lasts || !gone.has(one) ? [{ principal, isLasting: lasts }] : [];
  });
}

export function groupsOf(principal: Principal, state: EffectiveState): readonly string[] {
  const { virtualCluster, username, externalGroup } = principal;
  if (username !== null) return state.groupsOf(virtualCluster, username);
  return externalGroup === undefined ? [] : state.groupsOfExternal(externalGroup);
}

/** The key of the memberships of a principal. */
export function keyOf({ virtualCluster, username, externalGroup }: Principal): string {
  if (username !== null) return userKey(virtualCluster, username);
  return externalGroup === undefined ? '' : externalKey(externalGroup);
}

/** The same before and after, whatever the groups. */
export function identityOf({
  virtualCluster,
  username,
  externalGroup,
}: Omit<Principal, 'groups' | 'identity'>): string {
  return JSON.stringify([virtualCluster, username, externalGroup ?? null]);
}
