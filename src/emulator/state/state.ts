import { addressOf, type KindSet } from '../../model/kind.ts';
import { defaultScope } from '../../model/identity.ts';
import type { Address } from '../../model/resource.ts';
import { atLeast } from '../../model/text/version.ts';
import type { SECURITY_MODES } from '../../schema/project/project-schema.ts';
import { makeStore, type Store } from './store.ts';

export type SecurityMode = (typeof SECURITY_MODES)[number];
export type UserPool = { readonly now: () => number; readonly sign: (text: string) => string };
export type Options = {
  /** The version that the gateway acts as. Default: 3.21.0, or that of `state`. */
  readonly version?: string;
  /** How clients log in, which decides the kinds and accounts that there are (gateway-api D). Default: GATEWAY_MANAGED. */
  readonly security?: SecurityMode;
  /** Whether clients can log in with OAuth: SASL_PLAINTEXT and SASL_SSL have no EXTERNAL accounts otherwise. */
  readonly oauth?: boolean;
  /** Whether clients can log in with certificates: SSL has no EXTERNAL accounts otherwise. */
  readonly mtls?: boolean;
  /** The topics of the Kafka cluster with their cleanup.policy. Default: every topic exists. */
  readonly topics?: ReadonlyMap<string, string>;
  /** What alias topics of a Partner virtual cluster may point to, and traffic can be switched to. Default: main. */
  readonly physicalClusters?: readonly string[];
  /** Whether the name of one virtual cluster must not begin with that of another. Default: false. */
  readonly prefixCollision?: boolean;
  /** Custom plugin classes that exist. Default: all that are outside the package of the gateway. */
  readonly plugins?: readonly string[];
  /** Orders lists. Default: by time of creation. */
  readonly shuffle?: <T>(items: readonly T[]) => readonly T[];
  /** For tokens of local accounts: a clock in milliseconds, and a signature as base64url of an HMAC-SHA256. */
  readonly userPool?: UserPool;
  /** The initial state: a snapshot, as plain JSON. */
  readonly state?: unknown;
  /** Where resources are kept. Default: an empty store of its own. */
  readonly store?: Store;
};

/** All that an operation may use. */
export type State = {
  readonly kinds: KindSet;
  readonly store: Store;
  readonly version: string;
  readonly options: Options;
  /** The ids of all physical clusters. */
  readonly physicalClusters: readonly string[];
  /**
   * The cluster whose connection a physical cluster uses instead of its own, by id. Never saved: each instance of a gateway has it in
   * memory (gateway-api B.8).
   */
  readonly switched: Map<string, string>;
  /** Whether a resource exists, stored or built in. */
  exists(address: Address): boolean;
};

/** References and unique values are checked since 3.3.0; before, what did not exist came to be by being mentioned. */
export function hasStrictReferences(version: string): boolean {
  return atLeast(version, '3.3.0');
}

/** Built-in resources exist without being stored. */
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
    physicalClusters: options.physicalClusters ?? ['main'],
    switched: new Map(),
    exists: (address) => builtIn.has(address) || store.get(address) !== undefined,
  };
}
