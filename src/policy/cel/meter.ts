import { isCelList, isCelMap, objectType, type CelValue } from '@bufbuild/cel';
import type { Pointer } from '../../model/json/json.ts';

/** Thrown where an expression has used up what it may spend. */
export class Exhausted extends Error {}

/**
 * What expressions may spend. Every step of a loop and every call costs as much as it may take, so an expression of a pull
 * request ends, on every machine at the same place.
 */
export type Meter = {
  /** Throws an Exhausted error if that is more than what is left. */
  readonly spend: (units: number) => void;
  /** The budget left for the expression that is evaluated. */
  readonly left: () => number;
  /** Begins an expression: it gets its share of what is left for all. */
  readonly begin: () => void;
  readonly isExhausted: () => boolean;
};

/** About a second. */
const MOST_OF_ONE = 1_000_000;
/** A few minutes, for all expressions of a run: twenty usual policies over 100,000 objects take half of it. */
const MOST_OF_ALL = 200_000_000;

export function makeMeter({ mostOfOne = MOST_OF_ONE, mostOfAll = MOST_OF_ALL } = {}): Meter {
  let all = mostOfAll;
  let one = 0;
  let isExhausted = false;
  return {
    spend: (units) => {
      one -= units;
      all -= units;
      if (one >= 0 && all >= 0) return;
      isExhausted = true;
      throw new Exhausted();
    },
    left: () => Math.max(0, Math.min(one, all)),
    begin: () => {
      one = Math.min(mostOfOne, all);
      isExhausted = false;
    },
    isExhausted: () => isExhausted,
  };
}

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
