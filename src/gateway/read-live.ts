import { sameJson } from '../model/json/json.ts';
import type { Kind } from '../model/kind.ts';
import { identify } from '../model/identity.ts';
import type { Address, Resource } from '../model/resource.ts';
import type { LiveState } from '../model/state.ts';
import { GatewayError, type ReadableGateway } from './gateway.ts';

/**
 * Lists all kinds that can be written, one call each, in parallel. A kind whose list is refused is `unavailable`, with the
 * gateway's message: without authentication there are no virtual clusters (gateway-api A.3). Rejects for every other
 * failure and if all kinds are refused, once no call is in flight.
 */
export async function readLive(
  gateway: Pick<ReadableGateway, 'list'>,
  kinds: readonly Kind[],
): Promise<LiveState> {
  const writable = kinds.filter(({ removal }) => removal !== undefined);
  const reads = writable.map((kind) => readKind(gateway, kind));
  await Promise.allSettled(reads); // no call is in flight when one of them throws
  const lists = await Promise.all(reads);

  const resources = new Map<Address, Resource>();
  const unavailable = new Map<string, string>();
  for (const list of lists) {
    if ('resources' in list)
      list.resources.forEach((resource) => addResource(resources, list.kind, resource));
    else unavailable.set(list.kind.name, list.refusal.message);
  }
  const [first] = lists;
  if (first !== undefined && 'refusal' in first && unavailable.size === writable.length) throw first.refusal;
  return { resources, unavailable };
}

type Read = { readonly kind: Kind } & (
  { readonly resources: readonly Resource[] } | { readonly refusal: GatewayError }
);

async function readKind(gateway: Pick<ReadableGateway, 'list'>, kind: Kind): Promise<Read> {
  try {
    return { kind, resources: await gateway.list(kind) };
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'refused') return { kind, refusal: error };
    throw error;
  }
}

/** Two that gwconf cannot tell apart would be confused, and the wrong one changed. */
function addResource(resources: Map<Address, Resource>, kind: Kind, resource: Resource): void {
  const address = identify(kind, resource);
  const other = resources.get(address);
  if (other !== undefined && !sameJson(other, resource)) {
    throw new GatewayError('not-understood', `the gateway lists two resources with the address ${address}`, {
      hint: 'compare both on the gateway; if they are correct, gwconf does not support this version of the gateway yet',
    });
  }
  resources.set(address, resource);
}
