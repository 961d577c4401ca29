import { sameWithDefaults } from '../../model/defaults.ts';
import { sameJson, valueAt } from '../../model/json/json.ts';
import { isList, type Pointer } from '../../model/json/json.ts';
import type { Kind } from '../../model/kind.ts';
import { comparable, normalForm, requestBody } from '../../model/normal/normal-form.ts';
import type { Resource } from '../../model/resource.ts';
import { secretPlaces } from '../../model/secrets/secrets.ts';
import type { FieldDifference } from '../../model/field-difference.ts';
import { diffFields } from '../diff/diff.ts';
import { type Change, type DraftChange, templatesOf, type SecretStatus } from './change.ts';

/** The change that makes one value of an object another; undefined when both mean the same. */
export function diffResources(
  before: Resource,
  wanted: Resource,
  kind: Kind,
  about: Pick<Change, 'address' | 'at' | 'templates' | 'formerSecrets'>,
): DraftChange | undefined {
  // Fast path: nearly all are as declared, and this comparison copies nothing.
  if (sameWithDefaults(before, wanted, kind.defaultTree)) return undefined;
  const was = normalForm(kind, before);
  const is = normalForm(kind, wanted);
  if (sameJson(was, is)) return undefined;
  const fields = diffFields(comparable(kind, before), comparable(kind, wanted), kind.sets(wanted));
  if (fields.length === 0) throw new Error(`${about.address} differs, but in no field`);
  // A field that is absent before or after may be set or removed. The gateway also refuses to change an immutable field that
  // the normal form leaves out because it has no effect at present.
  const because = kind.immutable.filter((path) => {
    const value = valueAt(was, path) ?? valueAt(before, path) ?? undefined;
    const other = valueAt(is, path) ?? valueAt(wanted, path) ?? undefined;
    return value !== undefined && other !== undefined && !sameJson(value, other);
  });
  const verdicts = secretStatusOf(secretPlaces(kind, wanted, templatesOf(about.templates)), fields);
  return because.length === 0
    ? { action: 'update', ...about, before, after: requestBody(kind, wanted, before), fields, ...verdicts }
    : { action: 'replace', ...about, before, after: requestBody(kind, wanted), fields, ...verdicts, because };
}

/** What became of each of these secrets of a resource; nothing for a resource without any. */
function secretStatusOf(
  secrets: ReadonlySet<Pointer>,
  fields: readonly FieldDifference[],
): { readonly verdicts?: Readonly<Record<string, SecretStatus>> } {
  if (secrets.size === 0) return {};
  const verdictOf = (place: Pointer): SecretStatus =>
    fields.some((field) => changes(field, place)) ? 'changed' : 'same';
  return { verdicts: Object.fromEntries([...secrets].map((place) => [place, verdictOf(place)])) };
}

function changes(field: FieldDifference, place: Pointer): boolean {
  if (field.op === 'remove') return false;
  // A list whose items stand in another order has them all still.
  if (field.op === 'set' && isList(field.before) && isList(field.after)) return false;
  return field.path === place || place.startsWith(`${field.path}/`);
}
