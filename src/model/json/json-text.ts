import { stringify } from 'lossless-json';
import { ExactNumber, isRounded } from './exact-number.ts';
import { isList, isObject, joinPointer, type Json, type Pointer } from './json.ts';

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
