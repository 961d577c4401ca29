import { sameJson } from '../model/json/json.ts';
import type { Kind } from '../model/kind.ts';
import { identify } from '../model/identity.ts';
import type { Address, Resource } from '../model/resource.ts';
import type { LiveState } from '../model/state.ts';
import { GatewayError, type ReadableGateway } from './gateway.ts';

/** What is live of those kinds that can be written. */
export function readLive(gateway: Pick<ReadableGateway, 'list'>, kinds: readonly Kind[]): Promise<LiveState> {
  return readKinds(
    gateway,
    kinds.filter(({ removal }) => removal !== undefined),
  );
}

/**
 * Lists kinds, one call each, in parallel. A kind whose list is refused is `unavailable`, with the
 * gateway's message: without authentication there are no virtual clusters (gateway-api A.3). So is one that another gateway has
 * described, or the same one in another version, and this one does not have. Rejects for every other failure and if all kinds are refused, once no call is in flight.
 */
export async function readKinds(
  gateway: Pick<ReadableGateway, 'list'>,
  kinds: readonly Kind[],
): Promise<LiveState> {
  const lists = await listKinds(gateway, kinds);
  const failed = lists.find((list) => 'error' in list && !isUnserved(list.kind, list.error));
  if (failed !== undefined && 'error' in failed) {
    const others = lists.some((list) => 'resources' in list);
    throw others ? aboutKind(failed.kind, failed.error, { others }) : failed.error;
  }

  const resources = new Map<Address, Resource>();
  const unavailable = new Map<string, string>();
  for (const list of lists) {
    if ('error' in list)
      unavailable.set(list.kind.name, list.error.code === 'not-found' ? ABSENT : list.error.message);
    else list.resources.forEach((resource) => addResource(resources, list.kind, resource));
  }
  const [first] = lists;
  if (first !== undefined && 'error' in first && unavailable.size === kinds.length) throw first.error;
  return { resources, unavailable };
}

const ABSENT = 'the gateway does not have it (404)';

/**
 * Whether a gateway does not have a kind, by what it says in place of its list: versions and security modes differ in the kinds that
 * they have. All have those that every version can write.
 */
export function isUnserved({ isDescribed, removal }: Kind, { code }: GatewayError): boolean {
  return code === 'refused' || (code === 'not-found' && (isDescribed === true || removal === undefined));
}

/** `others`: other lists could be read, so the gateway is there. */
export function aboutKind(
  { name }: Kind,
  error: GatewayError,
  { others }: { readonly others: boolean },
): GatewayError {
  const { code, message, status, retryAfterMs, unsent, cause } = error;
  const isUnknown = others && code === 'not-found';
  const hint = isUnknown ? 'check the version of the gateway, and any proxy in between' : error.hint;
  const why = isUnknown ? ABSENT : message;
  const about = { status, hint, cause, retryAfterMs, unsent };
  return new GatewayError(code, `${name} cannot be listed: ${why}`, about);
}

/** The resources of a kind, or why there is no list of them. */
export type KindList = { readonly kind: Kind } & (
  | { readonly resources: readonly Resource[] }
  | { readonly error: GatewayError }
);

/** Lists kinds, one call each, in parallel. Resolves once no call is in flight. */
export async function listKinds(
  gateway: Pick<ReadableGateway, 'list'>,
  kinds: readonly Kind[],
): Promise<readonly KindList[]> {
  const reads = kinds.map((kind) => listKind(gateway, kind));
  await Promise.allSettled(reads); // no call is in flight when one of them throws
  return Promise.all(reads);
}

async function listKind(gateway: Pick<ReadableGateway, 'list'>, kind: Kind): Promise<KindList> {
  try {
    return { kind, resources: await gateway.list(kind) };
  } catch (error) {
    if (error instanceof GatewayError) return { kind, error };
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
