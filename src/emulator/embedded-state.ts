import { getOrAdd } from '../model/collect.ts';
import { defaultScope } from '../model/identity.ts';
import { placesOf, type Json, type JsonObject } from '../model/json/json.ts';
import { addressOf, type KindSet, type Kind } from '../model/kind.ts';
import { type Address, kindOf, type Resource } from '../model/resource.ts';
import { atLeast } from '../model/text/version.ts';
import type { SECURITY_MODES } from '../schema/project/project-schema.ts';

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
  /** Custom plugin classes that exist. Default: all that are outside the package of the gateway. */
  readonly plugins?: readonly string[];
  /** Orders lists. Default: by time of creation. */
  readonly shuffle?: <T>(items: readonly T[]) => readonly T[];
  /** For tokens of local accounts: a clock in milliseconds, and a signature as base64url of an HMAC-SHA256. */
  readonly userPool?: UserPool;
  /** A description of further kinds that it serves, OpenAPI as YAML or JSON. Default: those of `state`. */
  readonly described?: string;
  /** The initial state: a snapshot, as plain JSON. */
  readonly state?: unknown;
  /** Where resources are kept. Default: an empty store of its own. */
  readonly store?: Store;
};

/** All that an operation may use. */
export type State = {
  readonly kinds: KindSet;
  /** What describes those that are not of our own. */
  readonly description: JsonObject | undefined;
  readonly store: Store;
  readonly version: string;
  readonly options: Options;
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
export function makeState(
  kinds: KindSet,
  version: string,
  options: Options,
  description?: JsonObject,
): State {
  const store = options.store ?? makeStore();
  const builtIn = new Set<Address>();
  for (const kind of kinds.values()) {
    for (const name of kind.builtIn) {
      builtIn.add(addressOf(kind.name, name, defaultScope(kind)));
    }
  }
  return {
    kinds,
    description,
    store,
    version,
    options,
    physicalClusters: options.physicalClusters ?? ['main'],
    switched: new Map(),
    exists: (address) => builtIn.has(address) || store.get(address) !== undefined,
  };
}

export type Store = ReturnType<typeof makeStore>;

/**
 * The resources of a gateway, indexed by referrers and by owners of unique values, so that the cost of a write does not
 * depend on how many there are.
 */
export function makeStore() {
  const kinds = new Map<string, Map<Address, Resource>>();
  const referrers = new Map<Address, Map<string, Set<Address>>>();
  const owners = new Map<string, Address>();
  const v1Fields = new Map<Address, JsonObject>();
  let revision = 0;

  const link = (kind: Kind, address: Address, resource: Resource): void => {
    for (const { to } of kind.references(resource)) {
      const byKind = getOrAdd(referrers, to, () => new Map<string, Set<Address>>());
      getOrAdd(byKind, kind.name, () => new Set<Address>()).add(address);
    }
    for (const key of uniqueKeys(kind, resource)) owners.set(key, address);
  };
  const unlink = (kind: Kind, address: Address, resource: Resource): void => {
    for (const { to } of kind.references(resource)) {
      const byKind = referrers.get(to);
      const addresses = byKind?.get(kind.name);
      addresses?.delete(address);
      if (addresses?.size === 0) byKind?.delete(kind.name);
      if (byKind?.size === 0) referrers.delete(to);
    }
    for (const key of uniqueKeys(kind, resource)) if (owners.get(key) === address) owners.delete(key);
  };

  return {
    get: (address: Address): Resource | undefined => kinds.get(kindOf(address))?.get(address),
    /** All of a kind, in the order in which they were created. */
    all: (kind: string): Iterable<Resource> => kinds.get(kind)?.values() ?? [],
    count: (kind: string): number => kinds.get(kind)?.size ?? 0,
    /** The resources that refer to it, by kind. */
    referrers: (to: Address): typeof NO_REFERRERS => referrers.get(to) ?? NO_REFERRERS,
    owner: (kind: Kind, at: number, value: Json) => owners.get(uniqueKey(kind, at, value)),
    set(kind: Kind, address: Address, resource: Resource): void {
      const resources = getOrAdd(kinds, kind.name, () => new Map<Address, Resource>());
      const before = resources.get(address);
      if (before !== undefined) unlink(kind, address, before);
      resources.set(address, resource);
      revision += 1;
      link(kind, address, resource);
    },
    delete(kind: Kind, address: Address): void {
      const before = kinds.get(kind.name)?.get(address);
      if (before === undefined) return;
      unlink(kind, address, before);
      kinds.get(kind.name)?.delete(address);
      v1Fields.delete(address);
      revision += 1;
    },
    /** What v1 shows of a resource and v2 has no field for; deleted with it. */
    v1Fields: (address: Address): JsonObject => v1Fields.get(address) ?? {},
    allV1Fields: (): Iterable<readonly [Address, JsonObject]> => v1Fields,
    setV1Fields(address: Address, fields: JsonObject): void {
      v1Fields.set(address, fields);
      revision += 1;
    },
    /** The number of changes so far. */
    revision: () => revision,
  };
}

const NO_REFERRERS: ReadonlyMap<string, ReadonlySet<Address>> = new Map();

/** The unique values of a resource; `at` is the index of the pattern in `kind.unique`. */
export function* uniqueValues(
  kind: Kind,
  resource: Resource,
): Generator<{ readonly at: number; readonly value: Json }> {
  for (const [at, tokens] of kind.unique.entries()) {
    for (const { value } of placesOf(resource, tokens)) yield { at, value };
  }
}

function uniqueKeys(kind: Kind, resource: Resource): readonly string[] {
  return [...uniqueValues(kind, resource)].map(({ at, value }) => uniqueKey(kind, at, value));
}

function uniqueKey(kind: Kind, at: number, value: Json): string {
  return JSON.stringify([kind.name, at, value]);
}
