import { putResource, removeResource } from '../../emulator/api/resources.ts';
import type { Operation, RouteRequest } from '../../emulator/api/route.ts';
import { type ApiResponse, Refusal, ROLES } from '../../emulator/responses.ts';
import { type State, hasStrictReferences } from '../../emulator/embedded-state.ts';
import { isList, type JsonObject } from '../../model/json/json.ts';
import { addressOf, type Kind } from '../../model/kind.ts';
import type { Address, Resource } from '../../model/resource.ts';
import { atLeast } from '../../model/text/version.ts';

/** An operation of v1: readers may call a GET, and refusals look as v1 has them. */
export function define(
  method: Operation['method'],
  path: string,
  handle: Operation['handle'],
  about: Partial<Pick<Operation, 'access' | 'query' | 'body' | 'refuse'>> = {},
): Operation {
  return { method, path, access: method === 'GET' ? 'reader' : 'admin', refuse, ...about, handle };
}

/** gateway-api C.1: a message, and no body for wrong credentials. */
export function refuse({ status, title, msg }: Refusal): ApiResponse {
  if (status === 401) return { status };
  if (status === 403) return { status, body: { message: messages.forbidden } };
  // The fields of v1 are not in metadata or spec.
  return { status, body: { message: (msg ?? title).replace(/^(?:metadata|spec)\./, '') } };
}

/** The virtual cluster of a path; without one it is passthrough. */
export function clusterIn({ vcluster = 'passthrough' }: RouteRequest['params']): string {
  return vcluster;
}

/** Throws a Refusal 404. */
export function checkCluster(name: string, state: State): void {
  if (state.exists(addressOf(ROLES.virtualCluster, name))) return;
  throw new Refusal(404, messages.noVirtualCluster(name));
}

type Role = keyof typeof ROLES;

export function kindOfRole(role: Role, { kinds }: State): Kind {
  const kind = kinds.get(ROLES[role]);
  if (kind === undefined) throw new Error(`v1 needs the kind ${ROLES[role]}`);
  return kind;
}

/** Creates or replaces a resource, as v1 does. */
export function putAs(role: Role, metadata: JsonObject, spec: JsonObject, state: State): Resource {
  const kind = kindOfRole(role, state);
  const body = { kind: kind.name, apiVersion: kind.apiVersion, metadata, spec };
  return putResource(kind, body, state, { api: 'v1' }).resource;
}

/** Deletes one. */
export function removeAs(role: Role, { metadata }: Resource, state: State): void {
  removeResource(kindOfRole(role, state), metadata, state, 'v1');
}

/** The resources in a virtual cluster. */
export function listIn(vCluster: string, role: Role, { store }: Pick<State, 'store'>): readonly Resource[] {
  return [...store.all(ROLES[role])].filter(({ metadata }) => metadata['vCluster'] === vCluster);
}

/** The virtual cluster and the group that a call names. */
type Mentioned = { readonly vCluster?: string | null; readonly group?: string | null };

/**
 * Does the work of a call, for which the virtual cluster and the group that it names exist: before 3.3.0 there is no other
 * way to create them (gateway-api B.9, F). They are not created if the work throws.
 */
export function withMentioned<T>(mentioned: Mentioned, state: State, work: () => T): T {
  if (hasStrictReferences(state.version)) return work();
  const created: { readonly kind: Kind; readonly address: Address }[] = [];
  try {
    for (const { role, kind, name, address } of objectsIn(mentioned, state)) {
      if (state.exists(address)) continue;
      putAs(role, { name }, {}, state);
      created.push({ kind, address });
    }
    return work();
  } catch (error) {
    for (const { kind, address } of created) state.store.delete(kind, address);
    throw error;
  }
}

/** Before 3.2.0 virtual clusters and groups are gone with their last mention. */
export function dropUnmentioned(mentioned: Mentioned, state: State): void {
  if (atLeast(state.version, '3.2.0')) return;
  for (const { kind, address } of objectsIn(mentioned, state)) {
    const members = state.store.get(address)?.spec['members'];
    const isMentioned = state.store.referrers(address).size > 0 || (isList(members) && members.length > 0);
    if (!isMentioned) state.store.delete(kind, address);
  }
}

function objectsIn({ vCluster, group }: Mentioned, state: State) {
  const named = [
    ['virtualCluster', vCluster],
    ['group', group],
  ] as const;
  return named.flatMap(([role, name]) => {
    const kind = kindOfRole(role, state);
    return typeof name === 'string' ? [{ role, kind, name, address: addressOf(kind.name, name) }] : [];
  });
}

export const text: JsonObject = { type: 'string', minLength: 1 };
export const textOrNull: JsonObject = { type: ['string', 'null'], minLength: 1 };
export const flag: JsonObject = { type: 'boolean' };
export const flagOrNull: JsonObject = { type: ['boolean', 'null'] };

export function object(required: readonly string[], properties: JsonObject): JsonObject {
  return { type: 'object', required, properties };
}

/** What v1 says (gateway-api C); it has one field for it, `message`. */
export const messages = {
  forbidden: 'You do not have permission to call this API, please contact your administrator.',
  mappingCreated: 'User mapping is created',
  clusterSwitched: 'Cluster switched',
  created: (name: string) => `${name} is created`,
  updated: (name: string) => `${name} is updated`,
  // As documented: the vendor's text has the words, not the names.
  interceptorExists: 'interceptorName for cluster must be unique.',
  noPhysicalTopic: (name: string) => `Physical topic named ${name} does not exist in your kafka cluster`,
  physicalNameFixed: "You can't update the physicalTopicName for an existing topic mapping.",
  // Not documented, as all below.
  typeFixed: "You can't update the type for an existing topic mapping.",
  otherUsername: 'The username of the path is not that of the body',
  noVirtualCluster: (name: string) => `The virtual cluster ${name} does not exist`,
  noMapping: (name: string) => `The user mapping ${name} does not exist`,
  noTopics: (name: string) => `The virtual cluster ${name} has no topic mappings`,
  noTopic: (name: string) => `The topic mapping ${name} does not exist`,
  noRule: 'The concentration rule does not exist',
  noParameter: (name: string) => `The query parameter ${name} is missing`,
} as const;
