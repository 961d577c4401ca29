import { changeAt, parsePointer, valueAt, type Json, type Pointer } from '../../model/json/json.ts';
import { identify } from '../../model/identity.ts';
import { knownKind, type KindSet } from '../../model/kind.ts';
import type { Address, Resource } from '../../model/resource.ts';
import { anyItem, secretPlaces } from '../../model/secrets/secrets.ts';
import type { Digester } from '../saved/digest.ts';
import type { LiveSnapshot } from '../saved/live-snapshot.ts';
import { restoreSnapshot, type Restorable } from '../saved/restore-snapshot.ts';
import { HIDDEN } from '../secrets/redact.ts';
import type { Uncompared } from './uncompared.ts';

/** A snapshot and the state that it is compared with. */
export type Unsealed = {
  readonly resources: ReadonlyMap<Address, Resource>;
  readonly others: ReadonlyMap<Address, Resource>;
  readonly uncompared: readonly Uncompared[];
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
  const uncompared: Uncompared[] = [];
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
