import { makeStore, type Store } from '../../../src/emulator/embedded-state.ts';
import type { Kind } from '../../../src/model/kind.ts';
import type { Address, Resource } from '../../../src/model/resource.ts';

/** A store that can act like one on an instance that lags behind. */
export type LaggingStore = Store & {
  /** Does the work and hides what it sets and deletes until `show`; what is written meanwhile wins. */
  hide<T>(work: () => T): { readonly value: T; readonly show: () => void };
};

/** Something that was set or deleted, and what was there before. */
type Written = { readonly kind: Kind; readonly address: Address; readonly before: Resource | undefined };

export function makeLaggingStore(): LaggingStore {
  const store = makeStore();
  let recording: Written[] | undefined;
  const place = (kind: Kind, address: Address, resource: Resource | undefined): void => {
    recording?.push({ kind, address, before: store.get(address) });
    if (resource === undefined) store.delete(kind, address);
    else store.set(kind, address, resource);
  };
  return {
    ...store,
    set: place,
    delete: (kind, address) => place(kind, address, undefined),
    hide(work) {
      const written: Written[] = [];
      recording = written;
      const value = work();
      recording = undefined;
      const hidden = written.map((one) => ({ ...one, after: store.get(one.address) }));
      for (const { kind, address, before } of written) place(kind, address, before);
      const show = (): void => {
        for (const { kind, address, before, after } of hidden)
          if (store.get(address) === before) place(kind, address, after);
      };
      return { value, show };
    },
  };
}
