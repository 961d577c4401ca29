import { GatewayError, type Gateway } from '../../gateway/gateway.ts';
import { identify } from '../../model/identity.ts';
import type { Kind } from '../../model/kind.ts';
import type { Address, Resource } from '../../model/resource.ts';

/** The resources of a kind, or why they cannot be read. */
type ListRead = { readonly listed: ReadonlyMap<Address, Resource> } | { readonly error: GatewayError };
export type ReadList = (kind: Kind) => Promise<ListRead>;

/**
 * Reads a kind once for all who request it at about the same time: each list waits for `gather`, so that more can request
 * it, and `onList` is called when it begins. A list that has begun is not shared with later requests: it may have been
 * sent before the write that they want to see.
 */
export function batchLists(
  gateway: Gateway,
  gather: () => Promise<void>,
  onList: (kind: Kind, requests: number) => void,
): ReadList {
  const pending = new Map<string, { readonly read: Promise<ListRead>; requests: number }>();
  const current = new Map<string, Promise<ListRead>>();
  const readAfter = async (before: Promise<ListRead> | undefined, kind: Kind): Promise<ListRead> => {
    await before;
    try {
      await gather();
      const begun = pending.get(kind.name);
      if (begun !== undefined) current.set(kind.name, begun.read);
      onList(kind, begun?.requests ?? 0);
      pending.delete(kind.name);
      const resources = await gateway.list(kind);
      return { listed: new Map(resources.map((resource) => [identify(kind, resource), resource])) };
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      return { error };
    }
  };
  return (kind) => {
    const known = pending.get(kind.name);
    if (known !== undefined) {
      known.requests += 1;
      return known.read;
    }
    const read = readAfter(current.get(kind.name), kind);
    pending.set(kind.name, { read, requests: 1 });
    return read;
  };
}
