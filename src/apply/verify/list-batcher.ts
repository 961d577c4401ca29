import { GatewayError, type Gateway } from '../../gateway/gateway.ts';
import type { Kind } from '../../model/kind.ts';
import { identify } from '../../model/identity.ts';
import type { Address, Resource } from '../../model/resource.ts';

type ResourcesByAddress = ReadonlyMap<Address, Resource>;
type PendingList = { readonly list: Promise<ResourcesByAddress>; requests: number };

/**
 * Reads a kind once for all who request it at about the same time. A list that has begun is not shared with later
 * requests: it may have been sent before the write that they want to see.
 */
export class ListBatcher {
  readonly #gateway: Gateway;
  readonly #gather: () => Promise<void>;
  readonly #onList: (kind: Kind, requests: number) => void;
  readonly #pending = new Map<string, PendingList>();
  readonly #current = new Map<string, Promise<unknown>>();

  /** Each list waits for `gather`, so that more can request it; `onList` is called when it begins. */
  constructor(gateway: Gateway, gather: () => Promise<void>, onList: (kind: Kind, requests: number) => void) {
    this.#gateway = gateway;
    this.#gather = gather;
    this.#onList = onList;
  }

  /** Rejects with a GatewayError. */
  read(kind: Kind): Promise<ResourcesByAddress> {
    const known = this.#pending.get(kind.name);
    if (known !== undefined) {
      known.requests += 1;
      return known.list;
    }
    const before = this.#current.get(kind.name) ?? Promise.resolve();
    const list = before.then(this.#gather).then(() => this.#list(kind));
    this.#pending.set(kind.name, { list, requests: 1 });
    return list;
  }

  #list(kind: Kind): Promise<ResourcesByAddress> {
    this.#onList(kind, this.#pending.get(kind.name)?.requests ?? 0);
    this.#pending.delete(kind.name);
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

/** The resources of a kind, or why they cannot be read. */
export async function readList(
  lists: ListBatcher,
  kind: Kind,
): Promise<{ readonly listed: ResourcesByAddress } | { readonly error: GatewayError }> {
  try {
    return { listed: await lists.read(kind) };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return { error };
  }
}
