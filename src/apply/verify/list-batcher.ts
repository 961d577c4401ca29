import { GatewayError, type Gateway } from '../../gateway/gateway.ts';
import type { Kind } from '../../model/kind.ts';
import { identify } from '../../model/identity.ts';
import type { Address, Resource } from '../../model/resource.ts';

/** All that the gateway has of one kind. */
export type ResourcesByAddress = ReadonlyMap<Address, Resource>;
type PendingList = { readonly list: Promise<ResourcesByAddress>; asked: number };

/**
 * Reads a kind for everybody who asks for it at that moment. A list that has begun is nobody else's any more: it may have
 * left before what they want to know of was done.
 */
export class ListBatcher {
  readonly #gateway: Gateway;
  readonly #gather: () => Promise<void>;
  readonly #begin: (kind: Kind, asked: number) => void;
  readonly #next = new Map<string, PendingList>();
  readonly #current = new Map<string, Promise<unknown>>();

  /** `gather` is waited for before each list, for more to ask; `begin` is told of it, and of how many have asked. */
  constructor(gateway: Gateway, gather: () => Promise<void>, begin: (kind: Kind, asked: number) => void) {
    this.#gateway = gateway;
    this.#gather = gather;
    this.#begin = begin;
  }

  /** Rejects with a GatewayError. */
  read(kind: Kind): Promise<ResourcesByAddress> {
    const known = this.#next.get(kind.name);
    if (known !== undefined) {
      known.asked += 1;
      return known.list;
    }
    const before = this.#current.get(kind.name) ?? Promise.resolve();
    const next: PendingList = { asked: 1, list: before.then(this.#gather).then(() => this.#list(kind)) };
    this.#next.set(kind.name, next);
    return next.list;
  }

  #list(kind: Kind): Promise<ResourcesByAddress> {
    this.#begin(kind, this.#next.get(kind.name)?.asked ?? 0);
    this.#next.delete(kind.name);
    const list = this.#gateway
      .list(kind)
      .then((resources) => new Map(resources.map((resource) => [identify(kind, resource), resource])));
    this.#current.set(
      kind.name,
      list.catch(() => undefined),
    );
    return list;
  }
}

/** What a list gave, or why it gave nothing. */
export async function readList(
  rereading: ListBatcher,
  kind: Kind,
): Promise<{ readonly listed: ResourcesByAddress } | { readonly error: GatewayError }> {
  try {
    return { listed: await rereading.read(kind) };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return { error };
  }
}
