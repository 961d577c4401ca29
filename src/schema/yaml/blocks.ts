import type { Json } from '../../model/json/json.ts';
import { exactPlain } from './plain.ts';

/**
 * A document that is nothing but maps and lists, an entry a line, with plain or simply quoted values behind keys that are
 * words: what most people and all programs write. It is read line by line, in a fraction of the time that a parser takes
 * who has to expect anything. Undefined for any other document, and for one with a mistake.
 */
export function readBlocks(source: string): { readonly start: number; readonly value: Json } | undefined {
  if (UNUSUAL.test(source)) return undefined;
  const reading: Reading = { source, at: 0, column: 0 };
  toEntry(reading, source.startsWith(BEGIN) ? BEGIN.length : 0);
  const start = reading.at;
  const value = readMap(reading);
  return value === undefined || reading.column !== NOWHERE ? undefined : { start, value };
}

/** Where the reading is: always at an entry, which stands in a column; or at the end, which stands nowhere. */
type Reading = { readonly source: string; at: number; column: number };
const NOWHERE = -1;

/** What is not ASCII on lines that all end alike, and placeholders. */
const UNUSUAL = /[^\n\x20-\x7e]|\$\{/;
const BEGIN = '---\n';
const SPACES = / */y;
const KEY = /[A-Za-z_][\w.-]{0,99}:(?=[ \n]|$)/y;
const DASH = /- +/y;
/** What plain text begins with when it cannot be taken for anything else, and what it has nowhere. */
const PLAIN = /^(?:[\w./^(\\$+]|-\d)/;
const NOT_PLAIN = /: |[: ]$|#/;
/** What an object would not take for a key. */
const PROTO = '__proto__';
/** Further to the right is for a reader who counts levels. */
const MOST_COLUMNS = 60;

function readMap(reading: Reading): Json | undefined {
  const { source, column } = reading;
  if (column > MOST_COLUMNS) return undefined;
  const map: Record<string, Json> = {};
  while (reading.column === column) {
    const end = endOf(KEY, source, reading.at);
    if (end === undefined) return undefined;
    const key = source.slice(reading.at, end - 1);
    if (key === PROTO || Object.hasOwn(map, key)) return undefined;
    reading.at = end;
    const value = source[end] === ' ' ? readScalar(reading) : readBelow(reading, column);
    if (value === undefined) return undefined;
    map[key] = value;
  }
  return reading.column < column ? map : undefined;
}

/** What stands below a key: what is indented by more, a list that is not, or nothing. */
function readBelow(reading: Reading, column: number): Json | undefined {
  toEntry(reading, reading.at + 1);
  const isList = reading.source.startsWith('- ', reading.at);
  if (reading.column > column) return isList ? readList(reading) : readMap(reading);
  return isList && reading.column === column ? readList(reading) : null;
}

function readList(reading: Reading): Json | undefined {
  const { source, column } = reading;
  if (column > MOST_COLUMNS) return undefined;
  const list: Json[] = [];
  while (reading.column === column) {
    const end = endOf(DASH, source, reading.at);
    if (end === undefined) break; // the next key of the map that the list is in
    reading.column += end - reading.at;
    reading.at = end;
    const item = readItem(reading);
    if (item === undefined) return undefined;
    list.push(item);
  }
  return reading.column <= column ? list : undefined;
}

function readItem(reading: Reading): Json | undefined {
  const { source, at } = reading;
  if (source.startsWith('- ', at)) return readList(reading);
  return endOf(KEY, source, at) === undefined ? readScalar(reading) : readMap(reading);
}

/** The rest of the line. */
function readScalar(reading: Reading): Json | undefined {
  const { source } = reading;
  const end = lineEnd(source, reading.at);
  const text = source.slice(endOf(SPACES, source, reading.at), end);
  toEntry(reading, end + 1);
  switch (text[0]) {
    case '"':
      return text.includes('\\') ? undefined : unquoted(text);
    case "'":
      return unquoted(text);
    case '{':
      return text === '{}' ? {} : undefined;
    case '[':
      return text === '[]' ? [] : undefined;
    default:
      return PLAIN.test(text) && !NOT_PLAIN.test(text) ? exactPlain(text) : undefined;
  }
}

/** What stands between two quotes, where there are no others. */
function unquoted(text: string): string | undefined {
  const [quote = ''] = text;
  return text.length > 1 && text.indexOf(quote, 1) === text.length - 1 ? text.slice(1, -1) : undefined;
}

/** Goes to the first line from here on that has more than a comment. */
function toEntry(reading: Reading, line: number): void {
  const { source } = reading;
  let start = line;
  let at = endOf(SPACES, source, start) ?? start;
  while (source[at] === '#' || source[at] === '\n') {
    start = lineEnd(source, at) + 1;
    at = endOf(SPACES, source, start) ?? start;
  }
  reading.at = at;
  reading.column = at >= source.length ? NOWHERE : at - start;
}

function lineEnd(source: string, at: number): number {
  const end = source.indexOf('\n', at);
  return end === -1 ? source.length : end;
}

/** Where that ends which a pattern finds here; undefined where it finds nothing. */
function endOf(pattern: RegExp, source: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(source) ? pattern.lastIndex : undefined;
}
