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
import { secretPlaces } from '../../model/secrets/secrets.ts';
import type { Declared, DesiredState, LiveState } from '../../model/state.ts';
import { slowDigester } from './digest.ts';
import type { LiveSnapshot, SealedResource } from './live-snapshot.ts';

/**
 * The live state of a snapshot, for a plan of `desired`: a secret that has the digest of a desired one is that one again,
 * so that it is no change; of any other it is only known that it is another.
 */
export function restoreSnapshot(snapshot: LiveSnapshot, desired: DesiredState, kinds: KindSet): LiveState {
  const slow = slowDigester(snapshot.salt);
  const resources = new Map<Address, Resource>();
  for (const sealed of snapshot.resources) {
    const kind = kinds.get(sealed.resource.kind);
    if (kind === undefined) throw new Error(`the kind ${sealed.resource.kind} is not known here`);
    const address = identify(kind, sealed.resource);
    resources.set(address, unseal(sealed, desired.get(address), kind, slow));
  }
  return { resources, unavailable: new Map(Object.entries(snapshot.unavailable)) };
}

function unseal(
  { resource, secrets }: SealedResource,
  declared: Declared | undefined,
  kind: Kind,
  slow: (secret: string) => string,
): Resource {
  if (secrets === undefined || declared === undefined) return resource;
  const wanted = new Map<string, Json>();
  for (const pointer of secretPlaces(kind, declared.resource, declared.templates)) {
    const value = valueAt(declared.resource, pointer);
    if (value !== undefined) wanted.set(slow(canonicalText(value)), value);
  }
  let unsealed: Json = resource;
  for (const [pointer, digest] of Object.entries(secrets) as [Pointer, string][]) {
    // No file can hold the mark by accident, as it can hold the one that reports show.
    unsealed = changeAt(unsealed, parsePointer(pointer), () => wanted.get(digest) ?? `(hidden ${digest})`);
  }
  return unsealed as Resource; // only secrets have come back
}
