import {
  chainsOf,
  externalKey,
  makeEffectiveState,
  possibleScopes,
  scopeKeyOf,
  userKey,
  type EffectiveState,
} from '../../effective/state.ts';
import { listExternalPrincipals, listNamed, listPrincipals } from '../../effective/principals.ts';
import { groupBy } from '../../model/collect.ts';
import type { KindSet } from '../../model/kind.ts';
import type { Chain, ChainLink, Principal } from '../../model/principal.ts';
import type { Address, Resource } from '../../model/resource.ts';
import { afterOf, type DraftChange } from '../change/plan.ts';
import { type Setting, linkOf, makeTimelines, type Timeline } from './models.ts';

/** Principals with the same interceptors before, during and after the changes. */
export type PrincipalClass = Setting & {
  readonly principals: readonly Principal[];
  readonly before: Chain;
  readonly after: Chain;
};

/**
 * The principals that changes of interceptors or memberships concern, in classes. Left out are those that come or go with
 * the changes: they have no chain to compare with.
 */
export function classifyPrincipals(
  live: ReadonlyMap<Address, Resource>,
  changes: readonly DraftChange[],
  kinds: KindSet,
): readonly PrincipalClass[] {
  const timelines = makeTimelines(live, changes, kinds);
  if (timelines.links.length + timelines.members.size === 0) return [];
  const moving = groupLinks(timelines.links);
  const movingAddresses = new Set(timelines.links.map((link) => linkOf(link).address));
  const [before, after] = [live, applyTo(live, changes)].map((resources) =>
    makeEffectiveState(resources, kinds),
  ) as [EffectiveState, EffectiveState]; // one for each
  const [chainBefore, chainAfter] = [chainsOf(before), chainsOf(after)];
  const classes = new Map<string, PrincipalClass & { readonly principals: Principal[] }>();
  for (const principal of listLasting(before, after)) {
    const memberships = timelines.members.get(keyOf(principal)) ?? [];
    const ever = [...principal.groups, ...memberships.map(({ group }) => group)];
    const scopes = possibleScopes({ ...principal, groups: [...new Set(ever)].sort() });
    const isConcerned = memberships.length > 0 || scopes.some((scope) => moving.has(scope));
    if (!isConcerned) continue;
    const found = scopes.filter((scope) => moving.has(scope) || after.hasLinks(scope));
    const id = JSON.stringify([found, memberships]);
    const known = classes.get(id);
    if (known !== undefined) {
      known.principals.push(principal);
      continue;
    }
    const still = after.linksOf(found).filter(({ address }) => !movingAddresses.has(address));
    classes.set(id, {
      principals: [principal],
      before: chainBefore({ ...principal, groups: groupsOf(principal, before) }),
      after: chainAfter(principal),
      links: [
        ...still.map((link) => ({ start: link, steps: [] })),
        ...found.flatMap((scope) => moving.get(scope) ?? []),
      ],
      memberships: new Map(memberships.map((one) => [one.group, one])),
    });
  }
  return [...classes.values()];
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

/** The principals that are there before and after, with their groups after. */
function listLasting(before: EffectiveState, after: EffectiveState): readonly Principal[] {
  const [old, now] = [before, after].map(
    (state) => new Map(listPrincipals(state).map((one) => [identityOf(one), one])),
  ) as [Map<string, Principal>, Map<string, Principal>]; // one for each
  const named = new Set([before, after].flatMap((state) => [...listNamed(state)]));
  const gone = [...old].flatMap(([key, one]) => (now.has(key) ? [] : [one]));
  const isLasting = (one: Principal): boolean => {
    if (old.has(identityOf(one)) && now.has(identityOf(one))) return true;
    // No object makes them: they are there as long as their virtual cluster is.
    const isFree = one.username === null ? one.externalGroup !== undefined : !named.has(keyOf(one));
    const anybody = identityOf({ virtualCluster: one.virtualCluster, username: null, groups: [] });
    return isFree && old.has(anybody) && now.has(anybody);
  };
  return [...now.values(), ...gone, ...listExternalPrincipals(after, before)]
    .filter(isLasting)
    .map((principal) => ({ ...principal, groups: groupsOf(principal, after) }));
}

function groupsOf(principal: Principal, state: EffectiveState): readonly string[] {
  const { virtualCluster, username, externalGroup } = principal;
  if (username !== null) return state.groupsOf(virtualCluster, username);
  return externalGroup === undefined ? [] : state.groupsOfExternal(externalGroup);
}

function identityOf({ virtualCluster, username, externalGroup }: Principal): string {
  return JSON.stringify([virtualCluster, username, externalGroup ?? null]);
}

/** The key of the memberships of a principal. */
function keyOf({ virtualCluster, username, externalGroup }: Principal): string {
  if (username !== null) return userKey(virtualCluster, username);
  return externalGroup === undefined ? '' : externalKey(externalGroup);
}

/** By scope. */
function groupLinks(
  links: readonly Timeline<ChainLink | undefined>[],
): ReadonlyMap<string, readonly Timeline<ChainLink | undefined>[]> {
  return groupBy(links, (link) => scopeKeyOf(linkOf(link).scope));
}
