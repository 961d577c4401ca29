import { isCelList, isCelMap, objectType, type CelValue } from '@bufbuild/cel';
import type { Pointer } from '../../model/json/json.ts';

/** Where each unknown value is: an expression has no value that looks like one. */
const places = new WeakMap<object, Pointer>();

/** A value that is hidden, whatever it is. An expression that depends on it has no result; `a || b` may not depend on both. */
export function unknownAt(place: Pointer): CelValue {
  const value = objectType('hidden');
  places.set(value, place);
  return value;
}

/** Where a value is that is unknown; undefined for all others. */
export function placeOfUnknown(value: unknown): Pointer | undefined {
  return typeof value === 'object' && value !== null ? places.get(value) : undefined;
}

/** An expression that uses an unknown value has an error of CEL, of which only the message is kept. */
const MESSAGE = 'hidden at ';

export function refuseUnknown(value: CelValue): CelValue {
  const place = placeOfUnknown(value);
  if (place !== undefined) throw new Error(`${MESSAGE}${place}`);
  return value;
}

/** Where the unknown value is that an error is about. */
export function placeInMessage(message: string): Pointer | undefined {
  return message.startsWith(MESSAGE) ? (message.slice(MESSAGE.length) as Pointer) : undefined; // as it was thrown
}

/** The same for a value with all that is in it. */
export function refuseUnknownIn(value: CelValue): void {
  refuseUnknown(value);
  for (const child of childrenOf(value)) refuseUnknownIn(child);
}

export function* childrenOf(value: CelValue): Iterable<CelValue> {
  if (isCelList(value)) yield* value;
  else if (isCelMap(value)) yield* value.values();
}
