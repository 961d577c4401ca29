import { PASSTHROUGH, type Principal } from '../model/principal.ts';
import type { EffectiveState } from './state.ts';

export type KnownPrincipal = Principal & {
  /** What names it: a service account, a member of a group, the scope of an interceptor, or nothing. */
  readonly known: 'account' | 'member' | 'scope' | 'anybody' | 'external-group';
  /** Of anybody in a group of the identity provider. */
  readonly externalGroup?: string;
};

/**
 * Every principal that resources name, and for each virtual cluster anybody else, by virtual cluster and name. Without the
 * clients that only an identity provider knows.
 */
export function listPrincipals(state: EffectiveState): readonly KnownPrincipal[] {
  const users = new Map<string, Map<string, KnownPrincipal['known']>>();
  const inCluster = (name: string): Map<string, KnownPrincipal['known']> => {
    let found = users.get(name);
    if (found === undefined) users.set(name, (found = new Map<string, KnownPrincipal['known']>()));
    return found;
  };
  inCluster(PASSTHROUGH);
  for (const fact of state.facts()) {
    switch (fact.type) {
      case 'virtual-cluster':
        inCluster(fact.name);
        break;
      case 'account':
        inCluster(fact.virtualCluster).set(fact.username, 'account');
        break;
      case 'member': {
        const names = inCluster(fact.virtualCluster);
        if (names.get(fact.username) !== 'account') names.set(fact.username, 'member');
        break;
      }
      case 'interceptor': {
        const { vCluster, username } = fact.scope;
        if (typeof vCluster !== 'string') break;
        const names = inCluster(vCluster);
        if (typeof username === 'string' && !names.has(username)) names.set(username, 'scope');
        break;
      }
      case 'external-group':
        break;
      default:
        fact satisfies never;
    }
  }
  return [...users].sort(byKey).flatMap(([virtualCluster, names]): readonly KnownPrincipal[] => [
    ...[...names].sort(byKey).map(([username, known]) => ({
      ...{ virtualCluster, username, known },
      groups: state.groupsOf(virtualCluster, username),
    })),
    { virtualCluster, groups: [], known: 'anybody' },
  ]);
}

/** Anybody in each group of the identity provider, in the virtual clusters where its groups have interceptors. */
export function listExternalPrincipals(state: EffectiveState): readonly KnownPrincipal[] {
  const names = new Set<string>();
  const clusters = new Map<string, Set<string>>();
  for (const fact of state.facts()) {
    if (fact.type === 'external-group') names.add(fact.name);
    if (fact.type !== 'interceptor') continue;
    const { vCluster, group } = fact.scope;
    if (typeof vCluster !== 'string' || typeof group !== 'string') continue;
    clusters.set(group, (clusters.get(group) ?? new Set()).add(vCluster));
  }
  return [...names].sort().flatMap((externalGroup) => {
    const groups = state.groupsOfExternal(externalGroup);
    const where = new Set(groups.flatMap((group) => [...(clusters.get(group) ?? [])]));
    return [...where].sort().map((virtualCluster) => ({
      ...{ virtualCluster, groups, externalGroup },
      known: 'external-group' as const,
    }));
  });
}

function byKey([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}
