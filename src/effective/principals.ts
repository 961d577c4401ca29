import { getOrAdd } from '../model/collect.ts';
import { compareNaturally } from '../model/text/natural-order.ts';
import { PASSTHROUGH, type Principal } from '../model/principal.ts';
import { userKey, type EffectiveState } from './effective-state.ts';

/**
 * Every principal that resources name, and for each virtual cluster anybody else, by virtual cluster and name. Without the
 * clients that only an identity provider knows.
 */
export function listPrincipals(state: EffectiveState): readonly Principal[] {
  const users = new Map<string, Set<string>>();
  const inCluster = (name: string): Set<string> => getOrAdd(users, name, () => new Set());
  inCluster(PASSTHROUGH);
  for (const fact of state.facts()) {
    switch (fact.type) {
      case 'virtual-cluster':
        inCluster(fact.name);
        break;
      case 'account':
      case 'member':
        inCluster(fact.virtualCluster).add(fact.username);
        break;
      case 'interceptor': {
        const { vCluster, username } = fact.scope;
        if (typeof vCluster !== 'string') break;
        const names = inCluster(vCluster);
        if (typeof username === 'string') names.add(username);
        break;
      }
      case 'external-group':
      case 'external-name':
        break;
      default:
        fact satisfies never;
    }
  }
  return [...users].sort(byKey).flatMap(([virtualCluster, names]): readonly Principal[] => [
    ...[...names].sort(compareNaturally).map((username) => ({
      ...{ virtualCluster, username },
      groups: state.groupsOf(virtualCluster, username),
    })),
    { virtualCluster, username: null, groups: [] },
  ]);
}

/** The virtual clusters that resources name. */
export function listClusters(state: EffectiveState): ReadonlySet<string> {
  return new Set(listPrincipals(state).map(({ virtualCluster }) => virtualCluster));
}

/** The keys of the users that are accounts or members of groups, not only named by the scope of an interceptor. */
export function listNamed(state: EffectiveState): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const fact of state.facts())
    if (fact.type === 'account' || fact.type === 'member')
      keys.add(userKey(fact.virtualCluster, fact.username));
  return keys;
}

/**
 * Anybody in each group of the identity provider, in the virtual clusters where its groups have interceptors. With a former state,
 * where its groups of either state have interceptors in either: on the way from one to the other it can have them for a while.
 */
export function listExternalPrincipals(state: EffectiveState, former = state): readonly Principal[] {
  const names = new Set<string>();
  const clusters = new Map<string, Set<string>>();
  const states = [...new Set([state, former])];
  for (const fact of states.flatMap((one) => [...one.facts()])) {
    if (fact.type === 'external-group') names.add(fact.name);
    if (fact.type !== 'interceptor') continue;
    const { vCluster, group } = fact.scope;
    if (typeof vCluster !== 'string' || typeof group !== 'string') continue;
    getOrAdd(clusters, group, () => new Set()).add(vCluster);
  }
  return [...names].sort(compareNaturally).flatMap((externalGroup) => {
    const all = states.flatMap((one) => one.groupsOfExternal(externalGroup));
    const where = new Set(all.flatMap((group) => [...(clusters.get(group) ?? [])]));
    const groups = state.groupsOfExternal(externalGroup);
    return [...where].sort(compareNaturally).map((virtualCluster) => ({
      ...{ virtualCluster, username: null, groups, externalGroup },
    }));
  });
}

/** Principals in an order that does not depend on the hidden names of their external groups. */
export function inShownOrder(
  principals: readonly Principal[],
  shownAs: (principal: Principal) => Principal,
): readonly Principal[] {
  return principals
    .map((one) => {
      const { virtualCluster, externalGroup, groups } = shownAs(one);
      return [JSON.stringify([virtualCluster, externalGroup, groups]), one] as const;
    })
    .sort(byKey)
    .map(([, one]) => one);
}

function byKey([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return compareNaturally(one, other);
}
