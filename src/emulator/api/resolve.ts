import { isList, type Json, type JsonObject } from '../../model/json/json.ts';
import { scopeOf } from '../../model/identity.ts';
import { chainFor } from '../../model/precedence.ts';
import type { Resource } from '../../model/resource.ts';
import type { State } from '../state/state.ts';
import { ROLES } from '../responses/wording.ts';

/** The interceptors that run for a client, in order. Without a virtual cluster the client is in passthrough. */
export function resolveInterceptors(
  { vCluster, groups, username }: JsonObject,
  { kinds, store }: State,
): readonly Resource[] {
  const kind = kinds.get(ROLES.interceptor);
  if (kind === undefined) return [];
  const client = {
    vCluster: textsIn([vCluster ?? 'passthrough']),
    group: textsIn(isList(groups) ? groups : []),
    username: textsIn([username ?? null]),
  };
  const scoped = Array.from(store.all(kind.name), (resource) => ({
    resource,
    name: resource.metadata.name,
    scope: scopeOf(kind, resource),
    priority: Number(resource.spec['priority']),
  }));
  return chainFor(client, scoped).map(({ resource }) => resource);
}

function textsIn(values: readonly Json[]): readonly string[] {
  return values.filter((value) => typeof value === 'string');
}
