import { isList, valueAt, type JsonObject, type Pointer } from '../../model/json/json.ts';
import type { Resource } from '../../model/resource.ts';
import type { FieldChange } from '../diff/diff.ts';
import type { SecretStatus } from './plan.ts';

/** What became of each of these secrets of a resource; nothing for a resource without any. */
export function secretStatusOf(
  secrets: ReadonlySet<Pointer>,
  fields: readonly FieldChange[],
  withheld: readonly Pointer[],
): { readonly verdicts?: Readonly<Record<string, SecretStatus>> } {
  if (secrets.size === 0) return {};
  const verdictOf = (place: Pointer): SecretStatus => {
    if (withheld.includes(place)) return 'cannot-tell';
    return fields.some((field) => changes(field, place)) ? 'changed' : 'same';
  };
  return { verdicts: Object.fromEntries([...secrets].map((place) => [place, verdictOf(place)])) };
}

/** The fields that differ, and the secrets that are sent beside them though it is unknown whether they differ. */
export function withUncomparable(
  fields: readonly FieldChange[],
  withheld: readonly Pointer[],
  before: Resource,
  after: Resource,
): readonly FieldChange[] {
  const unknown = withheld.map((path): FieldChange => {
    const [was, is] = [before, after].map((one) => valueAt(one as JsonObject, path) ?? null);
    return { op: 'set', path, before: was ?? null, after: is ?? null };
  });
  return [...fields, ...unknown];
}

function changes(field: FieldChange, place: Pointer): boolean {
  if (field.op === 'remove') return false;
  // A list whose items stand in another order has them all still.
  if (field.op === 'set' && isList(field.before) && isList(field.after)) return false;
  return field.path === place || place.startsWith(`${field.path}/`);
}
