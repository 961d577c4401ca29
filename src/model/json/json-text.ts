import { stringify } from 'lossless-json';
import { ExactNumber, isRounded } from './exact-number.ts';
import { isList, isObject, joinPointer, type Json, type Pointer, childOf, keysOf } from './json.ts';

/** Reads JSON; numbers that JavaScript would round are an ExactNumber. Throws a SyntaxError. */
export function parseJson(text: string): Json {
  const value = JSON.parse(text) as Json; // what JSON.parse returns
  return withExactNumbers(value, text);
}

/** Prints JSON, exact numbers with all their digits; like JSON.stringify, it leaves out what is undefined. */
export function printJson(value: unknown, space?: number): string {
  if (value === undefined || !ExactNumber.isUsed) return JSON.stringify(value, null, space);
  return stringify(value, undefined, space, EXACT) as string;
}

const EXACT = [{ test: (value: unknown): boolean => value instanceof ExactNumber, stringify: String }];

/** The same value for code that knows only numbers: each exact number is the nearest one. */
export function withNearestNumbers(value: Json): Json {
  return ExactNumber.isUsed ? nearest(value) : value;
}

function nearest(value: Json): Json {
  if (value instanceof ExactNumber) return value.nearest;
  if (isList(value)) return mapped(value, nearest);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, child]) => [key, nearest(child)] as const);
  return entries.every(([key, child]) => child === value[key]) ? value : Object.fromEntries(entries);
}

/** Only a number of 16 characters or with an exponent can be rounded: most texts have none. */
const SUSPECT = /[[:,]\s*-?(?:\d[\d.]{15}|[\d.]+[eE])/;
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"?|-?\d[\d.eE+-]*|[[\]{},]/g;

/** A parsed value with the exact numbers of its text. */
function withExactNumbers(value: Json, text: string): Json {
  if (!SUSPECT.test(text)) return value;
  const texts = findRoundedNumbers(text);
  if (texts.size === 0) return value;
  const walk = (one: Json, path: Pointer): Json => {
    const written = texts.get(path);
    // Of equal keys, the last one counts.
    if (written !== undefined && one === Number(written)) return ExactNumber.of(written);
    if (isList(one)) return mapped(one, (item, at) => walk(item, joinPointer(path, at)));
    if (!isObject(one)) return one;
    return Object.fromEntries(
      Object.entries(one).map(([key, child]) => [key, walk(child, joinPointer(path, key))]),
    );
  };
  return walk(value, '');
}

function mapped(list: readonly Json[], change: (item: Json, at: number) => Json): readonly Json[] {
  const made = list.map(change);
  return made.every((item, at) => item === list[at]) ? list : made;
}

/** The numbers of a text, which is JSON, that JavaScript rounds, as they are written. */
function findRoundedNumbers(text: string): ReadonlyMap<Pointer, string> {
  const found = new Map<Pointer, string>();
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
    } else if (isRounded(token)) {
      found.set(
        open.reduce<Pointer>((path, { at }) => joinPointer(path, at), ''),
        token,
      );
    }
  }
  return found;
}

/** The value of a JSON text; undefined if it is not JSON. */
export function readJson(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** More than the limit for YAML, and than servers usually take, which is 1,000. Recursion into far deeper values could overflow the stack. */
const MOST_LEVELS = 1024;
/** Some for each of a hundred thousand resources. */
const MOST_VALUES = 10_000_000;

/**
 * Whether a map in a JSON text has a key twice: parsing keeps the last one only, and other readers keep another. `value` is the
 * parsed text.
 */
export function hasDuplicateKeys(text: string, value: unknown, { keys } = readExtent(text)): boolean {
  return keys !== countKeys(value);
}

/** Object.values would take four times as long. */
function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let keys = 0;
  if (Array.isArray(value)) for (const item of value) keys += countKeys(item);
  else for (const key in value) keys += 1 + countKeys((value as Record<string, unknown>)[key]); // it is JSON
  return keys;
}

/** Whether a value has more levels of lists and maps. */
export function isDeeper(value: Json, levels: number): boolean {
  if (!isList(value) && !isObject(value)) return false;
  return levels === 0 || keysOf(value).some((key) => isDeeper(childOf(value, key), levels - 1));
}

/** The limit that a JSON text exceeds, as a predicate; found before the text is parsed. */
export function excess(text: string): string | undefined {
  return text.length <= MOST_LEVELS ? undefined : readExtent(text).excess;
}

/** The same, and how many keys its maps have. */
export function readExtent(text: string): { readonly excess?: string; readonly keys: number } {
  let [levels, values, keys] = [0, 0, 0];
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case OPEN_LIST:
      case OPEN_MAP:
        values += 1;
        levels += 1;
        if (levels > MOST_LEVELS) return { excess: `is nested deeper than ${MOST_LEVELS} levels`, keys };
        break;
      case CLOSE_LIST:
      case CLOSE_MAP:
        levels -= 1;
        break;
      case COLON:
        keys += 1;
        break;
      case COMMA:
        values += 1;
        if (values > MOST_VALUES)
          return { excess: `has more than ${MOST_VALUES / 1e6} million values`, keys };
    }
  }
  return { keys };
}

/** How many values a text in UTF-8 may have, YAML or JSON: lines, and what is between commas and behind brackets. */
export function countValues(text: Uint8Array): number {
  let values = 0;
  for (let at = 0; at < text.length; at += 1) values += BEGINS_VALUE[text[at] ?? 0] ?? 0;
  return values;
}

const LINE = 0x0a;
const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_MAP, CLOSE_MAP] = [0x5b, 0x5d, 0x7b, 0x7d];

/** By byte; a table takes a quarter of the time of comparisons. */
const BEGINS_VALUE = Uint8Array.from({ length: 256 }, (_, byte) =>
  [COMMA, LINE, OPEN_LIST, OPEN_MAP].includes(byte) ? 1 : 0,
);

/** The offset of the closing quote of a string. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at += 1;
  }
  return text.length;
}
