import { canonicalText, valueAt, type Pointer } from '../../model/json/json.ts';
import type { Kind } from '../../model/kind.ts';
import type { Resource } from '../../model/resource.ts';
import { secretPlaces } from '../../model/secrets/secrets.ts';
import { isStep, templatesOf, templateShapes, type Change } from '../change/plan.ts';

/** Where the former and the new value of a change hold secrets. */
export function secretsOf(
  change: Change,
  kind: Kind,
): { readonly before: ReadonlySet<Pointer>; readonly after: ReadonlySet<Pointer> } {
  const shapes = templateShapes(change.templates);
  const before = 'before' in change ? secretPlaces(kind, change.before, shapes) : new Set<Pointer>();
  if (change.action === 'delete') return { before, after: new Set() };
  if (change.action === 'create' || !isStep(change))
    return { before, after: secretPlaces(kind, change.after, templatesOf(change.templates)) };
  // An extra step keeps what was there; what it puts in the place of something is no secret.
  const textAt = (resource: Resource, place: Pointer): string =>
    canonicalText(valueAt(resource, place) ?? null);
  const kept = new Set([...before].map((place) => textAt(change.before, place)));
  const filledIn = [...secretPlaces(kind, change.after, shapes)].filter((place) =>
    kept.has(textAt(change.after, place)),
  );
  return { before, after: new Set([...secretPlaces(kind, change.after), ...filledIn]) };
}
