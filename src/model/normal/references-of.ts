import type { Kind, Reference } from '../kind.ts';
import { fill } from '../defaults.ts';
import type { Parsed } from '../resource.ts';

/** The references of a resource, with its defaults; it need not be valid. */
export function referencesOf(resource: Parsed, kind: Kind): readonly Reference[] {
  return kind.references(fill(resource, kind.filling) as Parsed); // defaults add to a map
}
