import { placesOf, type Json, type JsonObject } from '../../model/json/json.ts';
import { kindOf, type Address, type Resource } from '../../model/resource.ts';
import type { Kind } from '../../model/kind.ts';

/**
 * The resources of a gateway, indexed by referrers and by owners of unique values, so that the cost of a write does not
 * depend on how many there are.
 */
export type Store = {
  get(address: Address): Resource | undefined;
  /** All of a kind, in the order in which they were created. */
  all(kind: string): Iterable<Resource>;
  count(kind: string): number;
  /** The resources that refer to it, by kind. */
  referrers(to: Address): ReadonlyMap<string, ReadonlySet<Address>>;
  /** The owner of a unique value. */
  owner(kind: Kind, at: number, value: Json): Address | undefined;
  set(kind: Kind, address: Address, resource: Resource): void;
  delete(kind: Kind, address: Address): void;
  /** What v1 shows of a resource and v2 has no field for; deleted with it. */
  v1Fields(address: Address): JsonObject;
  allV1Fields(): Iterable<readonly [Address, JsonObject]>;
  setV1Fields(address: Address, fields: JsonObject): void;
  /** The number of changes so far. */
  revision(): number;
};

export function makeStore(): Store {
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
    get: (address) => kinds.get(kindOf(address))?.get(address),
    all: (kind) => kinds.get(kind)?.values() ?? [],
    count: (kind) => kinds.get(kind)?.size ?? 0,
    referrers: (to) => referrers.get(to) ?? NO_REFERRERS,
    owner: (kind, at, value) => owners.get(uniqueKey(kind, at, value)),
    set(kind, address, resource) {
      const resources = getOrAdd(kinds, kind.name, () => new Map<Address, Resource>());
      const before = resources.get(address);
      if (before !== undefined) unlink(kind, address, before);
      resources.set(address, resource);
      revision += 1;
      link(kind, address, resource);
    },
    delete(kind, address) {
      const before = kinds.get(kind.name)?.get(address);
      if (before === undefined) return;
      unlink(kind, address, before);
      kinds.get(kind.name)?.delete(address);
      v1Fields.delete(address);
      revision += 1;
    },
    v1Fields: (address) => v1Fields.get(address) ?? {},
    allV1Fields: () => v1Fields,
    setV1Fields(address, fields) {
      v1Fields.set(address, fields);
      revision += 1;
    },
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

function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
