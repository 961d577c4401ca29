import type { Kind, Reference } from '../kind.ts';
import type { Resource } from '../resource.ts';
import { withDefaults } from './normal-form.ts';

/** What a resource needs before it may exist, whatever of its key is left to defaults. */
export function referencesOf(resource: Resource, kind: Kind): readonly Reference[] {
  return kind.references(withDefaults(kind, resource));
}
