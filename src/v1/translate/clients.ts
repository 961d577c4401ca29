import { addTo } from '../../model/collect.ts';
import type { NamedAccount } from './name-accounts.ts';
import type { TranslatedGateway } from './outcome.ts';
import { keyOf, type State } from './state.ts';

/** The clients of a gateway under their old and new names. */
export function clientsOf(
  groups: ReadonlyMap<string, string>,
  accounts: ReadonlyMap<string, NamedAccount>,
  state: State,
): TranslatedGateway['clients'] {
  const groupsOf = new Map<string, string[]>();
  for (const [name, { members }] of state.groups)
    for (const key of members.keys()) addTo(groupsOf, key, name);
  const users = new Map<string, { readonly vCluster: string; readonly username: string }>();
  for (const [key, { account }] of accounts)
    users.set(key, { vCluster: account.vCluster, username: account.name });
  for (const { value } of state.interceptors.values()) {
    const { vCluster, username } = value.scope;
    if (vCluster !== null && username !== null) users.set(keyOf(vCluster, username), { vCluster, username });
  }
  const clusters = new Set(['passthrough', ...state.clusters.keys()]);
  const nameless = [...clusters].map((vCluster) => ({
    before: { vCluster, groups: [] },
    after: { vCluster, groups: [] },
  }));
  const named = [...users].map(([key, { vCluster, username }]) => {
    const old = accounts.has(key) ? (groupsOf.get(key) ?? []) : [];
    return {
      before: { vCluster, username, groups: old },
      after: {
        vCluster,
        username: accounts.get(key)?.name ?? username,
        groups: old.map((group) => groups.get(group) ?? group),
      },
    };
  });
  return [...nameless, ...named];
}
