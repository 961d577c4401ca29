import { isCelList, isCelMap, type CelInput, type CelValue } from '@bufbuild/cel';
import { isList, isObject, type Json } from '../../model/json/json.ts';

/** A value of JSON for expressions: whole numbers are int, maps have no inherited keys. */
export function toCel(value: Json): CelInput {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (isList(value)) return value.map(toCel);
  if (isObject(value)) return new Map(Object.entries(value).map(([key, child]) => [key, toCel(child)]));
  return value;
}

/** Characters cost less than values. */
const CHARACTERS = 16;

/** What it takes to go over a value, without what is in it. */
export function lengthOf(value: CelValue): number {
  if (typeof value === 'string') return 1 + value.length / CHARACTERS;
  if (value instanceof Uint8Array) return 1 + value.length / CHARACTERS;
  return isCelList(value) || isCelMap(value) ? 1 + value.size : 1;
}

/** What it takes to go over a value and all that is in it; counts no further than `most`. */
export function weightOf(value: CelValue, most: number): number {
  let weight = lengthOf(value);
  for (const child of childrenOf(value)) {
    if (weight > most) return weight;
    weight += weightOf(child, most - weight);
  }
  return weight;
}

/** All values under a key, at any depth. */
export function* valuesUnder(value: CelValue, key: string): Generator<CelValue> {
  if (isCelMap(value)) {
    const found = value.get(key);
    if (found !== undefined) yield found;
  }
  for (const child of childrenOf(value)) yield* valuesUnder(child, key);
}

function* childrenOf(value: CelValue): Iterable<CelValue> {
  if (isCelList(value)) yield* value;
  else if (isCelMap(value)) yield* value.values();
}
