import {
  canonicalText,
  isList,
  isObject,
  joinPointer,
  sameJson,
  valueOf,
  type Json,
  type Pointer,
} from '../json/json.ts';
import type { Kind } from '../kind.ts';
import { STEPS, type Normalisation } from './normal-form.ts';
import type { Resource } from '../resource.ts';

/** A field that is compared in another form, and why. */
export type Normalised = { readonly reason: Normalisation | 'null'; readonly path: Pointer };

/** The changes of each step to the normal form of a resource. */
export function normalisationsOf(kind: Kind, resource: Resource): readonly Normalised[] {
  const found: Normalised[] = [];
  STEPS.reduce((before, { reason, take }) => {
    const after = take(kind, before);
    for (const { path, value } of changed(before, after)) {
      found.push({ reason: reason === 'unknown-field' && value === null ? 'null' : reason, path });
    }
    return after;
  }, resource);
  return found;
}

/** The fields in which two values differ, with the former value; a reordered list is one field. */
function* changed(
  before: Json | undefined,
  after: Json | undefined,
  path: Pointer = '',
): Generator<{ readonly path: Pointer; readonly value: Json | undefined }> {
  if (before === after) return;
  if (isObject(before) && isObject(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      yield* changed(valueOf(before, key), valueOf(after, key), joinPointer(path, key));
    }
  } else if (
    isList(before) &&
    isList(after) &&
    before.length === after.length &&
    !isReordered(before, after)
  ) {
    for (const [at, item] of before.entries()) yield* changed(item, after[at], joinPointer(path, at));
  } else if (before === undefined || after === undefined || canonicalText(before) !== canonicalText(after)) {
    yield { path, value: before };
  }
}

function isReordered(before: readonly Json[], after: readonly Json[]): boolean {
  const [one, other] = [before.map(canonicalText), after.map(canonicalText)];
  return !sameJson(one, other) && sameJson(one.sort(), other.sort());
}
