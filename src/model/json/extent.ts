import { childOf, isList, isObject, keysOf, type Json } from './json.ts';

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
