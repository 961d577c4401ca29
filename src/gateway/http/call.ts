import type { Json } from '../../model/json/json.ts';
import type { Kind } from '../../model/kind.ts';
import { scopeOf } from '../../model/identity.ts';
import { fitsInPath, type Resource } from '../../model/resource.ts';
import { GatewayError } from '../gateway.ts';

/** One request, before it is known where the gateway is. */
export type Call = {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** From the root of the gateway on: `/gateway/v2/group`. */
  readonly path: string;
  readonly body?: Json;
};

/** Everything of the kind in one call; gateway-api A.1: no paging. */
export function makeListCall(kind: Kind): Call {
  return { method: 'GET', path: kind.collection };
}

/** The upsert; gateway-api A.1: to the collection, the body names the resource. */
export function makePutCall(kind: Kind, resource: Resource): Call {
  return { method: 'PUT', path: kind.collection, body: resource };
}

/**
 * The delete that names the whole identity, as the kind's `removal` says; gateway-api A.3. Where the body is a scope, all
 * its axes are spelled out: what an old gateway makes of a missing one is wrong (B.7).
 */
export function makeRemoveCall(kind: Kind, resource: Resource): Call {
  const { name } = resource.metadata;
  const scope = scopeOf(kind, resource);
  switch (kind.removal) {
    case 'path':
      return { method: 'DELETE', path: `${kind.collection}/${encodeSegment(name)}` };
    case 'body':
      return { method: 'DELETE', path: kind.collection, body: { name, ...scope } };
    case 'path-and-body':
      return { method: 'DELETE', path: `${kind.collection}/${encodeSegment(name)}`, body: scope };
    default:
      throw new Error(`${kind.name} can only be read`);
  }
}

// Everything on the way may take dots, escaped or not, for a step up: the delete would hit another path.
function encodeSegment(name: string): string {
  if (fitsInPath(name)) return encodeURIComponent(name);
  throw new GatewayError('refused', `the name ${name} cannot be written in a path, so it cannot be deleted`, {
    hint: 'delete it with a client of the gateway that can, or leave it alone',
  });
}
