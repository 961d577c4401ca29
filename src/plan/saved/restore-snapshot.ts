import { groupBy } from '../../model/collect.ts';
import {
  canonicalText,
  changeAt,
  parsePointer,
  valueAt,
  type Json,
  type Pointer,
} from '../../model/json/json.ts';
import type { Kind, KindSet } from '../../model/kind.ts';
import { identify } from '../../model/identity.ts';
import type { Address, Resource } from '../../model/resource.ts';
import { anyItem, secretPlaces } from '../../model/secrets/secrets.ts';
import type { Declared, DesiredState, LiveState } from '../../model/state.ts';
import { makeFinder, slowDigester, type Digester } from './digest.ts';
import type { LiveSnapshot, SealedResource } from './live-snapshot.ts';

/**
 * The live state of a snapshot, for a plan of `desired`. A secret with the digest of a desired one becomes that one, so it is not
 * a change; any other is just different.
 */
export function restoreSnapshot(
  snapshot: LiveSnapshot,
  desired: DesiredState,
  kinds: KindSet,
  slow: Digester = slowDigester(snapshot.salt),
): LiveState {
  const resources = new Map<Address, Resource>();
  for (const sealed of snapshot.resources) {
    const kind = kinds.get(sealed.resource.kind);
    if (kind === undefined) throw new Error(`unknown kind ${sealed.resource.kind}`);
    const address = identify(kind, sealed.resource);
    resources.set(address, unseal(sealed, desired.get(address), kind, slow));
  }
  return { resources, unavailable: new Map(Object.entries(snapshot.unavailable)) };
}

function unseal(
  { resource, secrets }: SealedResource,
  declared: Declared | undefined,
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
    // A file cannot contain this placeholder by accident, unlike the one in reports.
    const likely = valueAt(declared.resource, pointer);
    const same = finders.get(anyItem(pointer))?.(digest, likely);
    unsealed = changeAt(unsealed, parsePointer(pointer), () => same ?? `(hidden ${digest})`);
  }
  return unsealed as Resource; // only secrets were restored
}
