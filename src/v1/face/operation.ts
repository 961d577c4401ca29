import { addressOf, type Kind } from '../../model/kind.ts';
import type { Operation, RouteRequest } from '../../emulator/api/route.ts';
import { type ApiResponse, Refusal } from '../../emulator/responses/response.ts';
import { ROLES } from '../../emulator/responses/wording.ts';
import type { State } from '../../emulator/state/state.ts';
import { messages } from './wording.ts';

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

export function kindOfRole(role: keyof typeof ROLES, { kinds }: State): Kind {
  const kind = kinds.get(ROLES[role]);
  if (kind === undefined) throw new Error(`v1 needs the kind ${ROLES[role]}`);
  return kind;
}
