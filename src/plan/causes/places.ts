import { sameWithDefaults } from '../../model/defaults.ts';
import {
  sameJson,
  canonicalText,
  isList,
  isObject,
  parsePointer,
  valueOf,
  type Json,
} from '../../model/json/json.ts';
import type { Kind } from '../../model/kind.ts';
import { comparable, normalForm } from '../../model/normal/normal-form.ts';
import type { Resource } from '../../model/resource.ts';
import type { FieldDifference } from '../../model/field-difference.ts';
import { diffFields, IDENTIFYING } from '../diff/diff.ts';

/** Where a field is, in any version of its object: an item of a list is named by what identifies it, not by its index. */
export type FieldPlace = readonly string[];

/** The places where two versions of an object differ. */
export function differingPlaces(before: Resource, after: Resource, kind: Kind): readonly FieldPlace[] {
  if (sameWithDefaults(before, after, kind.defaultTree)) return [];
  if (sameJson(normalForm(kind, before), normalForm(kind, after))) return [];
  const [was, is] = [comparable(kind, before), comparable(kind, after)];
  return diffFields(was, is, kind.sets(after)).map((field) => placeOfField(field, was, is));
}

/** The place of a field that differs between two values. */
export function placeOfField(field: FieldDifference, before: Json, after: Json): FieldPlace {
  let value: Json | undefined = field.op === 'remove' ? before : after;
  return parsePointer(field.path).map((token) => {
    const child: Json | undefined = valueOf(value, token);
    const name = isList(value) ? nameOfItem(child, token) : token;
    value = child;
    return name;
  });
}

/** Whether a place is the other, or lies in it. */
export function isWithin(place: FieldPlace, around: FieldPlace): boolean {
  return around.every((token, at) => token === place[at]);
}

/** Whether one of two places is the other, or lies in it. */
export function overlaps(one: FieldPlace, other: FieldPlace): boolean {
  return one.length < other.length ? isWithin(other, one) : isWithin(one, other);
}

function nameOfItem(item: Json | undefined, index: string): string {
  if (item === undefined) return `#${index}`;
  if (!isObject(item)) return isList(item) ? `#${index}` : `=${canonicalText(item)}`;
  const key = IDENTIFYING.find((name) => typeof valueOf(item, name) === 'string');
  return key === undefined ? `#${index}` : `${key}=${canonicalText(valueOf(item, key) ?? null)}`;
}
