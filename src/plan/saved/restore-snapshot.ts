import { groupBy } from '../../model/collect.ts';
import { identify } from '../../model/identity.ts';
import {
  canonicalText,
  changeAt,
  parsePointer,
  valueAt,
  type Json,
  type Pointer,
  anyItem,
} from '../../model/json/json.ts';
import { knownKind, type Kind, type KindSet } from '../../model/kind.ts';
import type { Address, Resource } from '../../model/resource.ts';
import { HIDDEN, sealedMark } from '../../model/secrets/hidden.ts';
import { secretPlaces } from '../../model/secrets/secrets.ts';
import type { Declared, LiveState } from '../../model/state.ts';
import type { Listed } from '../checks/unlisted-values.ts';
import type { UncomparedBetween } from '../compare/compare-states.ts';
import { makeFinder, slowDigester, type Digester } from './digest.ts';
import type { LiveSnapshot, SealedResource } from './live-snapshot.ts';

/** What the secrets of a snapshot are compared with. */
export type Restorable = Pick<Declared, 'resource' | 'templates'>;

/**
 * The live state of a snapshot, for a plan of `desired`. A secret with the digest of a desired one becomes that one, so it is not
 * a change; any other is just different.
 */
export function restoreSnapshot(
  snapshot: LiveSnapshot,
  desired: ReadonlyMap<Address, Restorable>,
  kinds: KindSet,
  slow: Digester = slowDigester(snapshot.salt),
): LiveState {
  const resources = new Map<Address, Resource>();
  for (const sealed of snapshot.resources) {
    const kind = kinds.get(sealed.resource.kind);
    if (kind === undefined) throw new Error(`unknown kind ${sealed.resource.kind}`);
    const address = identify(kind, sealed.resource);
    resources.set(address, unsealResource(sealed, desired.get(address), kind, slow));
  }
  return { resources, unavailable: new Map(Object.entries(snapshot.unavailable)) };
}

/** The names in the lists that the gateway had; none for a snapshot of an earlier version of gwconf. */
export function restoreListed({ listed = {} }: LiveSnapshot): Listed {
  return new Map(Object.entries(listed).map(([kind, names]) => [kind, new Set(names)]));
}

/** The live state of a snapshot with its digests in the places of secrets, and these texts. */
export function restoreSealed(
  { resources, unavailable }: LiveSnapshot,
  kinds: KindSet,
): { readonly live: LiveState; readonly sealed: ReadonlySet<string> } {
  const sealed = new Set<string>();
  const restored = resources.map(({ resource, secrets = {} }) => {
    let marked: Json = resource;
    for (const [pointer, digest = ''] of Object.entries(secrets) as [Pointer, string][]) {
      sealed.add(sealedMark(digest));
      marked = changeAt(marked, parsePointer(pointer), () => sealedMark(digest));
    }
    const kind = knownKind(`${resource.kind}/` as Address, kinds);
    return [identify(kind, resource), marked as Resource] as const; // only secrets were marked
  });
  return {
    live: { resources: new Map(restored), unavailable: new Map(Object.entries(unavailable)) },
    sealed,
  };
}

function unsealResource(
  { resource, secrets }: SealedResource,
  declared: Restorable | undefined,
  kind: Kind,
  slow: Digester,
): Resource {
  if (secrets === undefined || declared === undefined) return resource;
  const places = secretPlaces(kind, declared.resource, declared.templates);
  const valueIn = (place: Pointer): Json => valueAt(declared.resource, place) ?? null;
  const finders = new Map(
    [...groupBy(places, anyItem)].map(([pattern, group]) => [
      pattern,
      makeFinder(group.map(valueIn), canonicalText, slow),
    ]),
  );
  let unsealed: Json = resource;
  for (const [pointer, digest] of Object.entries(secrets) as [Pointer, string][]) {
    const likely = valueAt(declared.resource, pointer);
    const same = finders.get(anyItem(pointer))?.(digest, likely);
    unsealed = changeAt(unsealed, parsePointer(pointer), () => same ?? sealedMark(digest));
  }
  return unsealed as Resource; // only secrets were restored
}

/** A snapshot and the state that it is compared with. */
export type Unsealed = {
  readonly resources: ReadonlyMap<Address, Resource>;
  readonly others: ReadonlyMap<Address, Resource>;
  readonly uncompared: readonly UncomparedBetween[];
};

/**
 * Prepares a snapshot for a comparison. A secret with the digest of one in the other state becomes that one. What cannot be
 * compared by its digest is hidden on both sides; without `slow`, all secrets.
 */
export function unsealFor(
  snapshot: LiveSnapshot,
  others: ReadonlyMap<Address, Restorable>,
  kinds: KindSet,
  slow: Digester | undefined,
): Unsealed {
  const restored = restoreSnapshot(snapshot, slow === undefined ? new Map() : others, kinds, slow);
  const resources = new Map(restored.resources);
  const hidden = new Map([...others].map(([address, { resource }]) => [address, resource]));
  const uncompared: UncomparedBetween[] = [];
  for (const [address, places] of sealedPlaces(snapshot, kinds)) {
    const [mine, other] = [resources.get(address), others.get(address)];
    if (mine === undefined || other === undefined) continue;
    const known =
      slow === undefined ? [] : secretPlaces(knownKind(address, kinds), other.resource, other.templates);
    const digested = new Set(Array.from(known, anyItem));
    const unknown = places.filter((place) => !digested.has(anyItem(place)));
    for (const path of unknown) uncompared.push({ reason: 'cannot-tell', address, path, because: 'digest' });
    resources.set(address, hideAll(mine, unknown));
    hidden.set(address, hideAll(other.resource, unknown));
  }
  return { resources, others: hidden, uncompared };
}

/** Where a snapshot has digests in place of secrets, by address. */
export function sealedPlaces(
  snapshot: LiveSnapshot,
  kinds: KindSet,
): ReadonlyMap<Address, readonly Pointer[]> {
  const places = new Map<Address, readonly Pointer[]>();
  for (const { resource, secrets } of snapshot.resources) {
    const kind = kinds.get(resource.kind);
    if (kind === undefined || secrets === undefined) continue;
    places.set(identify(kind, resource), Object.keys(secrets) as Pointer[]); // as the type says
  }
  return places;
}

function hideAll(resource: Resource, places: readonly Pointer[]): Resource {
  const hidden = places.reduce<Json>(
    (changed, place) =>
      valueAt(changed, place) === undefined ? changed : changeAt(changed, parsePointer(place), () => HIDDEN),
    resource,
  );
  return hidden as Resource; // one with hidden secrets is one still
}
