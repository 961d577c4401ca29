import { printPointer, type Json, type Pointer } from '../../model/json/json.ts';
import type { SourceFile } from '../../model/problem.ts';
import type { Template } from '../../model/state.ts';
import type { ParsedDocument } from './document.ts';
import { isAlwaysShown } from './exposure.ts';
import { asTemplate, fillIn, valueIn, type Placeholders } from './interpolate.ts';
import { positionAt } from './lines.ts';
import { exactPlain } from './plain.ts';

/**
 * A fast reader for common YAML: maps and lists with one entry per line or in braces and brackets, and values that end on their
 * line. Undefined for other files and for files with errors, which the YAML parser then reads.
 */
export function readUsual(
  file: SourceFile,
  placeholders: Placeholders,
): readonly ParsedDocument[] | undefined {
  if (UNUSUAL.test(file.text)) return undefined;
  const documents: ParsedDocument[] = [];
  let index = 0;
  for (const { source, offset } of documentsIn(file.text)) {
    const reading: Reading = { source, placeholders, at: 0, column: 0, path: [], templates: undefined };
    const isMarked = /^---(?=[ \r\n]|$)/.test(source);
    toEntry(reading, isMarked ? '---'.length : 0);
    if (reading.column === NOWHERE) {
      if (isMarked) index += 1;
      continue;
    }
    const start = reading.at;
    const isBehindMark = isMarked && source.lastIndexOf('\n', start) === -1;
    const value =
      source[start] === '{'
        ? readOnLine(reading, BLANKS_AND_LINES)
        : isBehindMark
          ? undefined
          : readMap(reading);
    if (value === undefined || reading.column !== NOWHERE) return undefined;
    const ref = { file, index, offset: offset + start };
    const templates = reading.templates ?? NO_TEMPLATES;
    documents.push({ ref, at: positionAt(file, ref.offset), value, templates, problems: [] });
    index += 1;
  }
  return documents;
}

/** The state of the reader: the offset of an entry and its column, or NOWHERE at the end. */
type Reading = {
  readonly source: string;
  readonly placeholders: Placeholders;
  at: number;
  column: number;
  /** The path of the entry in the document. */
  readonly path: (string | number)[];
  templates: Map<Pointer, Template> | undefined;
};
const NOWHERE = -1;
const NO_TEMPLATES: ReadonlyMap<Pointer, Template> = new Map();

/** Directives, explicit ends of documents, lines that start with a colon or comma, and control characters. */
const UNUSUAL =
  /(?:^|\n)(?:%|\.\.\.| +---| *[:,])|\r(?!\n)|[^\n\r\x20-\x7e\xa0-\u2027\u202a-\ufefe\uff00-\ufffd]/;

/** Blanks in a line, also the carriage return of Windows; and blanks between lines. */
const BLANKS = /[ \r]*/y;
const BLANKS_AND_LINES = /[ \r\n]*/y;
const KEY = /\w[\w.-]{0,99}(?=:(?:[ \r\n]|$))/y;
/** The start of text that is certainly plain. */
const BEGIN_PLAIN = /[\w./^(\\$+~\xa1-\uffff]|-\d/y;
/** Plain text between braces and brackets. */
const PLAIN_IN_FLOW =
  /(?:[\w./^(\\$+~]|-\d)(?:[^,[\]{}:#\n\r ]|:(?![ \n\r,[\]{}])| (?=[^,[\]{}:#\n\r ])){0,999}/y;
/** Merge keys, empty keys, and keys that objects do not support. */
const UNUSUAL_KEYS: ReadonlySet<string> = new Set(['<<', '', '__proto__']);
const LONGEST_KEY = 200;
/** Deeper nesting is left to the parser, which counts levels. */
const MOST_COLUMNS = 60;

/** A line that starts with --- always starts a document (YAML 1.2.2, 9.1.2). */
function* documentsIn(text: string): Generator<{ readonly source: string; readonly offset: number }> {
  let offset = 0;
  for (const { index } of text.matchAll(/\n---(?=[ \r\n]|$)/g)) {
    yield { source: text.slice(offset, index + 1), offset };
    offset = index + 1;
  }
  yield { source: text.slice(offset), offset };
}

function readMap(reading: Reading): Json | undefined {
  const { column, path } = reading;
  if (column > MOST_COLUMNS) return undefined;
  const map: Record<string, Json> = {};
  while (reading.column === column) {
    const key = readKey(reading);
    if (key === undefined || Object.hasOwn(map, key)) return undefined;
    path.push(key);
    pass(BLANKS, reading);
    const value = isLineOver(reading) ? readBelow(reading, column) : readOnLine(reading);
    if (value === undefined) return undefined;
    path.pop();
    map[key] = value;
  }
  return reading.column < column ? map : undefined;
}

/** Reads a key and its colon. A blank must follow, except after a quoted key in braces. */
function readKey(reading: Reading, inFlow = false): string | undefined {
  const { source, at } = reading;
  const isPlain = pass(KEY, reading);
  const key = isPlain ? source.slice(at, reading.at) : readQuoted(reading);
  if (key === undefined || UNUSUAL_KEYS.has(key) || key.length > LONGEST_KEY || key.includes('${'))
    return undefined;
  if (source[reading.at] !== ':') return undefined;
  reading.at += 1;
  return isPlain || inFlow || ' \r\n'.includes(source[reading.at] ?? '\n') ? key : undefined;
}

/** Reads the value below a key: an indented map or list, a list that is not indented, or null. */
function readBelow(reading: Reading, column: number): Json | undefined {
  toNextLine(reading);
  const isList = reading.source.startsWith('- ', reading.at);
  if (reading.column > column) return isList ? readList(reading) : readMap(reading);
  return isList && reading.column === column ? readList(reading) : null;
}

function readList(reading: Reading): Json | undefined {
  const { source, column, path } = reading;
  if (column > MOST_COLUMNS) return undefined;
  const list: Json[] = [];
  while (reading.column === column && source.startsWith('- ', reading.at)) {
    const { at } = reading;
    reading.at += 1;
    pass(BLANKS, reading);
    reading.column += reading.at - at;
    path.push(list.length);
    const item = readItem(reading);
    if (item === undefined) return undefined;
    path.pop();
    list.push(item);
  }
  return reading.column <= column ? list : undefined; // equal: the next key of the map that the list is in
}

function readItem(reading: Reading): Json | undefined {
  const { source, at } = reading;
  if (source.startsWith('- ', at)) return readList(reading);
  const isMap = readKey(reading) !== undefined;
  reading.at = at;
  return isMap ? readMap(reading) : readOnLine(reading);
}

/** Reads a value that ends on its line, or a flow collection; `blanks` says whether it can have several lines. */
function readOnLine(reading: Reading, blanks = BLANKS): Json | undefined {
  const { source, at } = reading;
  const value = '{['.includes(source[at] ?? '')
    ? readFlow(reading, blanks)
    : readScalar(reading, readPlainLine);
  pass(BLANKS, reading);
  if (value === undefined || !isLineOver(reading)) return undefined;
  toNextLine(reading);
  return value;
}

/** A map in braces or a list in brackets. */
function readFlow(reading: Reading, blanks: RegExp, levels = 0): Json | undefined {
  const { source, path } = reading;
  const isMap = source[reading.at] === '{';
  const close = isMap ? '}' : ']';
  const map: Record<string, Json> = {};
  const list: Json[] = [];
  reading.at += 1;
  pass(blanks, reading);
  while (source[reading.at] !== close) {
    const key = isMap ? readKey(reading, true) : list.length;
    if (key === undefined || levels > MOST_COLUMNS || (isMap && Object.hasOwn(map, key))) return undefined;
    pass(blanks, reading);
    path.push(key);
    const isFlow = '{['.includes(source[reading.at] ?? ' ');
    const value = isFlow ? readFlow(reading, blanks, levels + 1) : readScalar(reading, readPlainInFlow);
    if (value === undefined) return undefined;
    path.pop();
    if (isMap) map[key] = value;
    else list.push(value);
    pass(blanks, reading);
    if (source[reading.at] === ',') {
      reading.at += 1;
      pass(blanks, reading);
    } else if (source[reading.at] !== close) return undefined;
  }
  reading.at += 1;
  return isMap ? map : list;
}

function readScalar(
  reading: Reading,
  readPlainText: (reading: Reading) => string | undefined,
): Json | undefined {
  const isQuoted = reading.source[reading.at] === '"' || reading.source[reading.at] === "'";
  const text = isQuoted ? readQuoted(reading) : readPlainText(reading);
  if (text === undefined) return undefined;
  if (text.includes('${')) return readTemplate(text, !isQuoted, reading);
  return isQuoted ? text : exactPlain(text);
}

/** Reads quoted text on one line; undefined if there is none, or if it has an escape that JSON does not have. */
function readQuoted(reading: Reading): string | undefined {
  const { source, at } = reading;
  const quote = source[at];
  if (quote !== '"' && quote !== "'") return undefined;
  const escape = quote === '"' ? '\\' : quote;
  let end = at + 1;
  while (source[end] !== quote || (quote === escape && source[end + 1] === quote)) {
    if (end >= source.length || source[end] === '\n') return undefined;
    end += source[end] === escape ? 2 : 1;
  }
  reading.at = end + 1;
  const text = source.slice(at + 1, end);
  if (!text.includes(escape)) return text;
  return quote === escape ? text.replaceAll("''", "'") : parseText(`"${text}"`);
}

function parseText(json: string): string | undefined {
  try {
    return JSON.parse(json) as string; // it is in quotes
  } catch {
    return undefined;
  }
}

/** Reads the rest of a line, up to a comment. */
function readPlainLine(reading: Reading): string | undefined {
  const { source, at } = reading;
  if (!pass(BEGIN_PLAIN, reading)) return undefined;
  const line = source.slice(at, lineEnd(source, at));
  const comment = line.indexOf(' #');
  let end = comment === -1 ? line.length : comment;
  while (line[end - 1] === ' ' || line[end - 1] === '\r') end -= 1;
  reading.at = at + end;
  const text = line.slice(0, end);
  return text.includes(': ') || text.endsWith(':') ? undefined : text;
}

function readPlainInFlow(reading: Reading): string | undefined {
  const { source, at } = reading;
  return pass(PLAIN_IN_FLOW, reading) ? source.slice(at, reading.at) : undefined;
}

function readTemplate(text: string, isPlain: boolean, reading: Reading): Json | undefined {
  const { placeholders, path } = reading;
  if ('keep' in placeholders || placeholders.missing === 'withheld') return undefined;
  const filled = fillIn(text, placeholders);
  if (filled.faults.length + filled.open.length > 0) return undefined;
  const template = asTemplate(text, isPlain);
  if (filled.variables.length > 0) {
    const pointer = printPointer(path);
    if (isAlwaysShown(pointer)) return undefined;
    reading.templates ??= new Map();
    reading.templates.set(pointer, { ...template, variables: filled.variables });
  }
  return valueIn(filled, template);
}

/** Whether nothing but a comment follows on the line. */
function isLineOver({ source, at }: Reading): boolean {
  const next = source[at];
  return next === undefined || next === '\n' || (next === '#' && source[at - 1] === ' ');
}

function toNextLine(reading: Reading): void {
  toEntry(reading, lineEnd(reading.source, reading.at) + 1);
}

/** Moves to the first line from `line` on that has content. */
function toEntry(reading: Reading, line: number): void {
  const { source } = reading;
  let start = line;
  reading.at = start;
  pass(BLANKS, reading);
  while (source[reading.at] === '#' || source[reading.at] === '\n') {
    start = lineEnd(source, reading.at) + 1;
    reading.at = start;
    pass(BLANKS, reading);
  }
  reading.column = reading.at >= source.length ? NOWHERE : reading.at - start;
}

function lineEnd(source: string, at: number): number {
  const end = source.indexOf('\n', at);
  return end === -1 ? source.length : end;
}

/** Moves past a match of the pattern at the current offset; returns whether there is one. */
function pass(pattern: RegExp, reading: Reading): boolean {
  pattern.lastIndex = reading.at;
  const found = pattern.test(reading.source);
  if (found) reading.at = pattern.lastIndex;
  return found;
}
