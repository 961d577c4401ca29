import { addressOf, type KindSet } from '../../model/kind.ts';
import { defaultScope } from '../../model/identity.ts';
import type { Address } from '../../model/resource.ts';
import { makeStore, type Store } from './store.ts';

export type Options = {
  /** The version that the gateway says it has; what it serves goes by it. Default: 3.21.0, or that of `state`. */
  readonly version?: string;
  /** On PLAINTEXT there are neither virtual clusters nor service accounts. Default: GATEWAY_MANAGED. */
  readonly security?: 'GATEWAY_MANAGED' | 'PLAINTEXT';
  /** The topics of the Kafka cluster with their cleanup.policy. Left out: any topic is taken to exist. */
  readonly topics?: ReadonlyMap<string, string>;
  /** What alias topics of a Partner virtual cluster may point to. Default: main. */
  readonly physicalClusters?: readonly string[];
  /** Whether two virtual clusters clash when the name of one begins with that of the other. Default: false. */
  readonly prefixCollision?: boolean;
  /** Custom plugin classes. Left out: any class outside the gateway's own package is one. */
  readonly plugins?: readonly string[];
  /** The order in which lists are answered. Left out: the order in which things came. */
  readonly shuffle?: <T>(items: readonly T[]) => readonly T[];
  /** What makes tokens for local accounts: a clock in milliseconds, and base64url of an HMAC-SHA256. */
  readonly userPool?: { readonly now: () => number; readonly sign: (text: string) => string };
  /** Where to start from: a snapshot, as plain JSON. */
  readonly state?: unknown;
  /** Where resources are kept. Default: an empty store of its own. */
  readonly store?: Store;
};

/** Everything that an operation may look at. */
export type State = {
  readonly kinds: KindSet;
  readonly store: Store;
  readonly version: string;
  readonly options: Options;
  /** Whether a resource is there, by itself or by nature. */
  exists(address: Address): boolean;
};

/** An empty gateway of that version. What is built in is there without being stored. */
export function makeState(kinds: KindSet, version: string, options: Options): State {
  const store = options.store ?? makeStore();
  const builtIn = new Set<Address>();
  for (const kind of kinds.values()) {
    for (const name of kind.builtIn) {
      builtIn.add(addressOf(kind.name, name, defaultScope(kind)));
    }
  }
  return {
    kinds,
    store,
    version,
    options,
    exists: (address) => builtIn.has(address) || store.get(address) !== undefined,
  };
}
