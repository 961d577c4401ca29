import type { Json } from '../../model/json/json.ts';
import type { Kind } from '../../model/kind.ts';
import { scopeOf } from '../../model/identity.ts';
import { fitsInPath, type Resource } from '../../model/resource.ts';
import { GatewayError } from '../gateway.ts';

/** A request, without the address of the gateway. */
export type Call = {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** From the root of the gateway on: `/gateway/v2/group`. */
  readonly path: string;
  readonly body?: Json;
};

/** All of a kind in one call: there is no paging (gateway-api A.1). */
export function makeListCall(kind: Kind): Call {
  return { method: 'GET', path: kind.collection };
}

/** The upsert goes to the collection; the body names the resource (gateway-api A.1). */
export function makePutCall(kind: Kind, resource: Resource): Call {
  return { method: 'PUT', path: kind.collection, body: resource };
}

/**
 * The delete by whole identity, in the form that the kind's `removal` names (gateway-api A.3). A scope in the body has all
 * its axes: old gateways misread a missing one (B.7).
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

// Anything on the way may resolve dots, escaped or not, and the delete would go to another path.
function encodeSegment(name: string): string {
  if (fitsInPath(name)) return encodeURIComponent(name);
  const message = `the name ${name} cannot be part of a path, so the object cannot be deleted`;
  throw new GatewayError('refused', message, { hint: 'delete it with another client, or keep it' });
}
