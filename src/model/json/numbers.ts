import { isList, isObject, joinPointer, valueAt, type Json, type Pointer } from './json.ts';

/** Whether a number is still what was written once it is one of JavaScript's, and whole numbers are safe to count with. */
export function isExact(value: number, written: string): boolean {
  return !(Number.isInteger(value) && !Number.isSafeInteger(value)) && isSameNumber(value, written);
}

function isSameNumber(value: number, written: string): boolean {
  if (!Number.isFinite(value)) return false;
  const digits = significant(written);
  return digits === undefined || digits === significant(String(value));
}

/** A decimal number in one spelling: 1.50, 15e-1 and +1.5 are one. Undefined for what is no decimal number. */
function significant(written: string): string | undefined {
  const [, whole, fraction = '', exponent = '0'] =
    /^[-+]?(\d*)(?:\.(\d*))?(?:e([-+]?\d+))?$/i.exec(written) ?? [];
  if (whole === undefined) return undefined;
  const digits = (whole + fraction).replace(/^0+/, '');
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return end === 0
    ? '0'
    : `${digits.slice(0, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}

/** A number of a JSON text that JavaScript rounds, such as 9007199254740993 or 1e400. */
export type InexactNumber = {
  readonly path: Pointer;
  /** As it was written. */
  readonly text: string;
};

/** Only a number of 16 characters or with an exponent can be inexact: most texts have none. */
const SUSPECT = /[[:,]\s*-?(?:\d[\d.]{15}|[\d.]+[eE])/;
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"?|-?\d[\d.eE+-]*|[[\]{},]/g;

/** The numbers of a text, which is JSON, that JavaScript rounds. */
export function findInexactNumbers(text: string): readonly InexactNumber[] {
  if (!SUSPECT.test(text)) return [];
  const found: InexactNumber[] = [];
  // For each open list or object the place in it, and whether the next text is a key.
  const open: { at: string | number; isKeyNext: boolean }[] = [];
  for (const [token] of text.matchAll(TOKEN)) {
    const parent = open.at(-1);
    if (token === '[') open.push({ at: 0, isKeyNext: false });
    else if (token === '{') open.push({ at: '', isKeyNext: true });
    else if (token === ']' || token === '}') open.pop();
    else if (token === ',') {
      if (typeof parent?.at === 'number') parent.at += 1;
      else if (parent !== undefined) parent.isKeyNext = true;
    } else if (token.startsWith('"')) {
      if (parent?.isKeyNext !== true) continue;
      parent.at = JSON.parse(token) as string; // a string of JSON
      parent.isKeyNext = false;
    } else if (!isSameNumber(Number(token), token)) {
      found.push({ path: open.reduce<Pointer>((path, { at }) => joinPointer(path, at), ''), text: token });
    }
  }
  return found;
}

/** The nearest of JavaScript's finite numbers, since Infinity is not JSON. */
export function nearestNumber(text: string): number {
  return nearest(Number(text));
}

function nearest(value: number): number {
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, value));
}

/** A parsed value in which each number beyond those of JavaScript is the nearest one. */
export function withNearestNumbers<T extends Json>(value: T, inexact: readonly InexactNumber[]): T {
  // Nearly every value has none.
  if (inexact.every(({ text }) => Number.isFinite(Number(text)))) return value;
  return finite(value) as T; // of the same shape
}

function finite(value: Json): Json {
  if (typeof value === 'number') return nearest(value);
  if (isList(value)) return value.map(finite);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, finite(child)]));
}

/** A parsed value in which each number that JavaScript rounds is its text, so that all its digits are shown and compared. */
export function withExactTexts<T extends Json>(value: T, inexact: readonly InexactNumber[]): T {
  // Of equal keys, the last one counts.
  return replaceAt(value, inexact, (found, text) => (found === Number(text) ? text : found));
}

/** The same value with the nearest numbers in place of these texts. */
export function withRoundedTexts<T extends Json>(value: T, inexact: readonly InexactNumber[]): T {
  return replaceAt(value, inexact, (found, text) => (found === text ? nearestNumber(text) : found));
}

function replaceAt<T extends Json>(
  value: T,
  inexact: readonly InexactNumber[],
  replace: (found: Json, text: string) => Json,
): T {
  if (inexact.length === 0) return value;
  const texts = new Map(inexact.map(({ path, text }) => [path, text]));
  const walk = (one: Json, path: Pointer): Json => {
    const text = texts.get(path);
    if (text !== undefined) return replace(one, text);
    if (isList(one)) return one.map((item, at) => walk(item, joinPointer(path, at)));
    if (!isObject(one)) return one;
    return Object.fromEntries(
      Object.entries(one).map(([key, child]) => [key, walk(child, joinPointer(path, key))]),
    );
  };
  return walk(value, '') as T; // of the same shape, but for these numbers
}

/** Whether a value, or a copy of it, still has a number that JavaScript rounds, as its text or rounded. */
export function hasInexactAt(value: Json | undefined, { path, text }: InexactNumber): boolean {
  const found = valueAt(value, path);
  return found === text || found === nearestNumber(text);
}

/** Whether a number in a parsed value was beyond those of JavaScript; written again, it would be null. */
export function hasInfinite(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasInfinite);
}

const rounded = new WeakMap<object, readonly InexactNumber[]>();

/** Remembers which texts of this very value were numbers when it was read; copies of it do not know. */
export function noteInexactNumbers(value: object, numbers: readonly InexactNumber[]): void {
  if (numbers.length > 0) rounded.set(value, numbers);
}

export function inexactNumbersIn(value: object): readonly InexactNumber[] {
  return rounded.get(value) ?? [];
}
