import { sameJson } from '../model/json/json.ts';
import type { Kind } from '../model/kind.ts';
import { identify } from '../model/identity.ts';
import type { Address, Resource } from '../model/resource.ts';
import type { LiveState } from '../model/state.ts';
import { GatewayError, type ReadableGateway } from './gateway.ts';

/**
 * All that the gateway has of the kinds that can be written, with one call for each, in parallel. A kind whose list it
 * refuses is `unavailable`, with its words: without authentication there are no virtual clusters (gateway-api A.3). Every
 * other failure rejects, as does a gateway that refuses all kinds; nothing is still in flight then.
 */
export async function readLive(
  gateway: Pick<ReadableGateway, 'list'>,
  kinds: readonly Kind[],
): Promise<LiveState> {
  const writable = kinds.filter(({ removal }) => removal !== undefined);
  const reads = writable.map((kind) => readKind(gateway, kind));
  await Promise.allSettled(reads); // so that nothing is in flight any more if one of them throws
  const answers = await Promise.all(reads);

  const resources = new Map<Address, Resource>();
  const unavailable = new Map<string, string>();
  for (const answer of answers) {
    if ('resources' in answer)
      answer.resources.forEach((resource) => addResource(resources, answer.kind, resource));
    else unavailable.set(answer.kind.name, answer.refusal.message);
  }
  const [first] = answers;
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

/** Two that gwconf cannot tell apart would be taken for one another, and one of them changed for the other. */
function addResource(resources: Map<Address, Resource>, kind: Kind, resource: Resource): void {
  const address = identify(kind, resource);
  const other = resources.get(address);
  if (other !== undefined && !sameJson(other, resource)) {
    throw new GatewayError('not-understood', `the gateway lists two resources that both are ${address}`, {
      hint: 'look at both on the gateway; if they are right, this gateway is newer than gwconf knows',
    });
  }
  resources.set(address, resource);
}
