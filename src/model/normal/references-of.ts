import type { Kind, Reference } from '../kind.ts';
import type { Resource } from '../resource.ts';
import { withDefaults } from './normal-form.ts';

/** The references of a resource, with its defaults. */
export function referencesOf(resource: Resource, kind: Kind): readonly Reference[] {
  return kind.references(withDefaults(kind, resource));
}
