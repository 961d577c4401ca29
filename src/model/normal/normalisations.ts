import {
  canonicalText,
  isList,
  isObject,
  joinPointer,
  valueOf,
  type Json,
  type Pointer,
} from '../json/json.ts';
import type { Kind } from '../kind.ts';
import { STEPS, type Normalisation } from './normal-form.ts';
import type { Resource } from '../resource.ts';

/** One field that is compared in another spelling than the one it has, and why. */
export type Normalised = { readonly reason: Normalisation | 'null'; readonly path: Pointer };

/** What has to be done to a resource until it can be compared: each step to its normal form, field by field. */
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

/** The fields in which two values differ, with what was there before; a list in another order is one. */
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
  return one.some((text, at) => text !== other[at]) && sameJoined(one.sort(), other.sort());
}

function sameJoined(one: readonly string[], other: readonly string[]): boolean {
  return one.every((text, at) => text === other[at]);
}
