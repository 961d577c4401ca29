import { isList, isObject, type JsonObject } from '../../model/json/json.ts';
import type { Resource } from '../../model/resource.ts';
import type { State } from '../state/state.ts';
import { ROLES } from '../responses/wording.ts';

/**
 * The interceptors that run for a client, in the order in which they do: of those of one name the most specific
 * (username, group, virtual cluster, everybody), then by priority (gateway-api B.4). Where a client is in several
 * groups, all of theirs stay. Without a virtual cluster the client is in passthrough.
 */
export function resolveInterceptors(
  { vCluster, groups, username }: JsonObject,
  { store }: State,
): readonly Resource[] {
  const client: Client = {
    vCluster: vCluster ?? 'passthrough',
    groups: isList(groups) ? groups : [],
    username: username ?? null,
  };
  const best = new Map<string, { rank: number; interceptors: Resource[] }>();
  for (const interceptor of store.all(ROLES.interceptor)) {
    const rank = rankScope(interceptor, client);
    if (rank === undefined) continue;
    const { name } = interceptor.metadata;
    const known = best.get(name);
    if (known === undefined || known.rank < rank) best.set(name, { rank, interceptors: [interceptor] });
    else if (known.rank === rank) known.interceptors.push(interceptor);
  }
  return [...best.values()]
    .flatMap(({ interceptors }) => interceptors)
    .sort((one, other) => Number(one.spec['priority']) - Number(other.spec['priority']));
}

type Client = {
  readonly vCluster: unknown;
  readonly groups: readonly unknown[];
  readonly username: unknown;
};

/** How closely an interceptor is meant for the client; undefined when it is not. */
function rankScope({ metadata }: Resource, client: Client): number | undefined {
  const scope = metadata['scope'];
  const { vCluster = null, group = null, username = null } = isObject(scope) ? scope : {};
  if (vCluster !== null && vCluster !== client.vCluster) return undefined;
  if (username !== null) return username === client.username ? 3 : undefined;
  if (group !== null) return client.groups.includes(group) ? 2 : undefined;
  return vCluster === null ? 0 : 1;
}
