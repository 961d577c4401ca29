import { ExactNumber } from './exact-number.ts';

export type Json = Scalar | readonly Json[] | JsonObject;
export type JsonObject = { readonly [key: string]: Json };

/** RFC 6901, rooted at the resource: `/spec/clientProperties/sasl.mechanism`. The empty text is the whole value. */
export type Pointer = '' | `/${string}`;

/**
 * A pointer in which the token `*` stands for any one key or index, and `**` for any number of them:
 * `/spec/policies/*`.
 */
export type Pattern = Pointer;

export function isObject(value: unknown): value is JsonObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
  );
}

export function isScalar(value: Json): value is Scalar {
  return typeof value !== 'object' || value === null || value instanceof ExactNumber;
}
export type Scalar = null | boolean | number | string | ExactNumber;

/** Whether a value is text or a number, which can be a secret. */
export function isTextOrNumber(value: Json | undefined): value is string | number | ExactNumber {
  return typeof value === 'string' || typeof value === 'number' || value instanceof ExactNumber;
}

export function isList(value: unknown): value is readonly Json[] {
  return Array.isArray(value);
}

/** The tokens of a pointer, unescaped: `/a~1b/0` is `['a/b', '0']`. */
export function parsePointer(pointer: Pointer): readonly string[] {
  const known = parsed.get(pointer);
  if (known !== undefined) return known;
  const parts = pointer === '' ? [] : pointer.slice(1).split('/');
  const tokens = pointer.includes('~') ? parts.map(unescapeToken) : parts;
  if (parsed.size >= MOST_PARSED) parsed.clear();
  parsed.set(pointer, tokens);
  return tokens;
}

/** Most pointers are those of forms, which are looked at in each of many resources. */
const parsed = new Map<Pointer, readonly string[]>();
const MOST_PARSED = 1000;

function unescapeToken(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** A pointer with `*` for each index, because the index of an item can change. */
export function anyItem(pointer: Pointer): Pattern {
  return pointer.replace(/\/\d+(?=\/|$)/g, '/*') as Pattern; // begins with the slash it began with
}

/** The pointer of these tokens; `printPointer(parsePointer(p))` is `p`. */
export function printPointer(tokens: readonly (string | number)[]): Pointer {
  let pointer: Pointer = '';
  for (const token of tokens) pointer = joinPointer(pointer, token);
  return pointer;
}

/** One step up; that of the whole value is itself. */
export function parentOf(pointer: Pointer): Pointer {
  return pointer.slice(0, Math.max(0, pointer.lastIndexOf('/'))) as Pointer; // begins as before, or is empty
}

/** One step down from a pointer. */
export function joinPointer(pointer: Pointer, token: string | number): Pointer {
  return `${pointer}/${escapeToken(String(token))}`;
}

function escapeToken(token: string): string {
  // Most tokens have nothing to escape, and the test is faster than replacing.
  return /[~/]/.test(token) ? token.replaceAll('~', '~0').replaceAll('/', '~1') : token;
}

/** A field or item. Only own properties count, so `constructor` is not found. */
/** A map; an empty one in the place of anything else. */
export function asMap(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

/** The text under a key; empty where there is none. */
export function textUnder(value: Json | undefined, key: string): string {
  const found = valueOf(value, key);
  return typeof found === 'string' ? found : '';
}

/** The texts of a list; none of anything else. */
export function textsIn(value: Json | undefined): readonly string[] {
  return isList(value) ? value.filter((one) => typeof one === 'string') : [];
}

export function valueOf(value: Json | undefined, key: string): Json | undefined {
  if (isList(value)) return /^\d+$/.test(key) ? value[Number(key)] : undefined;
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

export function valueAt(value: Json | undefined, pointer: Pointer): Json | undefined {
  return parsePointer(pointer).reduce<Json | undefined>(valueOf, value);
}

type PlacedValue = { readonly pointer: Pointer; readonly value: Json };

/** The places and values that match a pattern in a value, which is at `from`. */
export function placesOf(value: Json, tokens: readonly string[], from: Pointer = ''): readonly PlacedValue[] {
  const places: PlacedValue[] = [];
  look(value, 0, { tokens, from, path: [], places });
  return places;
}

/** Whether a value that matches a pattern passes a test. Prints no places, which takes most of the time of `placesOf`. */
export function somePlace(
  value: Json,
  tokens: readonly string[],
  test: (value: Json) => boolean,
  from = 0,
): boolean {
  const token = tokens[from];
  if (token === undefined) return test(value);
  if (token === '**' && somePlace(value, tokens, test, from + 1)) return true;
  if (token === '*' || token === '**') {
    const next = token === '*' ? from + 1 : from;
    return keysOf(value).some((key) => somePlace(childOf(value, key), tokens, test, next));
  }
  const child = valueOf(value, token);
  return child !== undefined && somePlace(child, tokens, test, from + 1);
}

type Search = {
  readonly tokens: readonly string[];
  readonly from: Pointer;
  /** The current path, printed only for matches. */
  readonly path: string[];
  readonly places: PlacedValue[];
};

function look(value: Json, next: number, search: Search): void {
  const { tokens, from, path, places } = search;
  const token = tokens[next];
  if (token === undefined) {
    places.push({ pointer: `${from}${printPointer(path)}`, value });
  } else if (token === '*' || token === '**') {
    if (token === '**') look(value, next + 1, search);
    for (const key of keysOf(value)) step(key, childOf(value, key), token === '**' ? next : next + 1, search);
  } else {
    step(token, valueOf(value, token), next + 1, search);
  }
}

function step(key: string, child: Json | undefined, next: number, search: Search): void {
  if (child === undefined) return;
  search.path.push(key);
  look(child, next, search);
  search.path.pop();
}

/** Keys or indexes; nothing for a scalar. */
export function keysOf(value: Json): readonly string[] {
  return typeof value === 'object' && value !== null ? Object.keys(value) : [];
}

/** The value at one of `keysOf(value)`. */
export function childOf(value: Json, key: string): Json {
  return (value as JsonObject)[key] as Json; // a list has its indexes as keys
}

/** Keys or indexes with their values; nothing for a scalar. */
export function entriesOf(value: Json): readonly (readonly [string, Json])[] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

/**
 * A copy with changed values at the places of a pattern; other parts are shared. The last token can be a key that does not
 * exist: `change` then gets `undefined`. A change to `undefined` removes the key.
 */
export function changeAt(
  value: Json,
  tokens: readonly string[],
  change: (value: Json | undefined) => Json | undefined,
  from = 0,
): Json {
  const token = tokens[from];
  if (token === undefined) return change(value) ?? null;
  const isLast = from === tokens.length - 1;
  if (isList(value)) return changeItems(value, tokens, change, from);
  if (!isObject(value)) return value;
  if (token === '*') {
    return Object.keys(value).reduce(
      (changed, key) => withKey(changed, key, changeAt(value[key] as Json, tokens, change, from + 1)),
      value,
    );
  }
  const before = valueOf(value, token);
  if (before === undefined && !isLast) return value;
  const after = isLast ? change(before) : changeAt(before as Json, tokens, change, from + 1); // only undefined at the end
  return withKey(value, token, after);
}

function changeItems(
  list: readonly Json[],
  tokens: readonly string[],
  change: (value: Json | undefined) => Json | undefined,
  from: number,
): Json {
  const token = tokens[from];
  const changed = list.map((item, index) =>
    token === '*' || token === String(index) ? changeAt(item, tokens, change, from + 1) : item,
  );
  return changed.some((item, index) => item !== list[index]) ? changed : list;
}

/** A copy with other texts, and with other keys if they change, too. */
export function mapTexts(
  value: Json,
  change: (text: string) => string,
  changeKey: (key: string) => string = (key) => key,
): Json {
  if (typeof value === 'string') return change(value);
  if (isList(value)) return value.map((item) => mapTexts(item, change, changeKey));
  if (!isObject(value)) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(entries.map(([key, one]) => [changeKey(key), mapTexts(one, change, changeKey)]));
}

/** A copy with another value for a key, in the same order; undefined removes the key. */
export function withKey(object: JsonObject, key: string, value: Json | undefined): JsonObject {
  if (value === valueOf(object, key)) return object;
  // Neither form calls the setter of a key named __proto__.
  if (value !== undefined) return { ...object, [key]: value };
  const { [key]: _, ...rest } = object;
  return rest;
}

/** JSON with sorted keys and without white space: the texts of two values are equal if the values are. */
export function canonicalText(value: Json): string {
  if (isList(value)) return `[${value.map(canonicalText).join(',')}]`;
  if (value instanceof ExactNumber) return value.toString();
  if (!isObject(value)) return JSON.stringify(value);
  let fields = '';
  for (const key of sorted(Object.keys(value))) {
    const field = value[key];
    if (field === undefined) continue;
    fields += `${fields === '' ? '' : ','}${keyText(key)}${canonicalText(field)}`;
  }
  return `{${fields}}`;
}

/** A key as JSON, with its colon. Most keys are those of forms, which all of many resources have. */
function keyText(key: string): string {
  const known = keyTexts.get(key);
  if (known !== undefined) return known;
  const text = `${JSON.stringify(key)}:`;
  if (keyTexts.size >= MOST_KEYS) keyTexts.clear();
  if (key.length < LONG_KEY) keyTexts.set(key, text);
  return text;
}

const keyTexts = new Map<string, string>();
const [MOST_KEYS, LONG_KEY] = [1000, 100];

/** Most objects have few keys, in order: sorting these again is most of the work of a text. */
function sorted(keys: string[]): readonly string[] {
  for (let at = 1; at < keys.length; at += 1) if ((keys[at - 1] ?? '') > (keys[at] ?? '')) return keys.sort();
  return keys;
}

/** Deep equality; the order of keys does not matter, the order of lists does. */
export function sameJson(one: Json | undefined, other: Json | undefined): boolean {
  if (one === other) return true;
  if (isList(one)) {
    return isList(other) && one.length === other.length && one.every((item, at) => sameJson(item, other[at]));
  }
  if (!isObject(one) || !isObject(other) || isList(other)) return false;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && sameJson(one[key], other[key]))
  );
}
