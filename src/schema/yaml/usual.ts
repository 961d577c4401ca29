import { printPointer, type Json, type Pointer } from '../../model/json/json.ts';
import type { SourceFile } from '../../model/problem.ts';
import type { Template } from '../../model/state.ts';
import type { ParsedDocument } from './document.ts';
import { isAlwaysShown } from './exposure.ts';
import { asTemplate, fillIn, valueIn, type Placeholders } from './interpolate.ts';
import { positionAt } from './text-lines.ts';
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
    const reader: LineReader = { source, placeholders, at: 0, column: 0, path: [], templates: undefined };
    const isMarked = /^---(?=[ \r\n]|$)/.test(source);
    toEntry(reader, isMarked ? '---'.length : 0);
    if (reader.column === NOWHERE) {
      if (isMarked) index += 1;
      continue;
    }
    const start = reader.at;
    const isBehindMark = isMarked && source.lastIndexOf('\n', start) === -1;
    const value =
      source[start] === '{'
        ? readOnLine(reader, BLANKS_AND_LINES)
        : isBehindMark
          ? undefined
          : readMap(reader);
    if (value === undefined || reader.column !== NOWHERE) return undefined;
    const ref = { file, index, offset: offset + start };
    const templates = reader.templates ?? NO_TEMPLATES;
    documents.push({ ref, at: positionAt(file, ref.offset), value, templates, problems: [] });
    index += 1;
  }
  return documents;
}

/** The state of the reader: the offset of an entry and its column, or NOWHERE at the end. */
type LineReader = {
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

function readMap(reader: LineReader): Json | undefined {
  const { column, path } = reader;
  if (column > MOST_COLUMNS) return undefined;
  const map: Record<string, Json> = {};
  while (reader.column === column) {
    const key = readKey(reader);
    if (key === undefined || Object.hasOwn(map, key)) return undefined;
    path.push(key);
    pass(BLANKS, reader);
    const value = isLineOver(reader) ? readBelow(reader, column) : readOnLine(reader);
    if (value === undefined) return undefined;
    path.pop();
    map[key] = value;
  }
  return reader.column < column ? map : undefined;
}

/** Reads a key and its colon. A blank must follow, except after a quoted key in braces. */
function readKey(reader: LineReader, inFlow = false): string | undefined {
  const { source, at } = reader;
  const isPlain = pass(KEY, reader);
  const key = isPlain ? source.slice(at, reader.at) : readQuoted(reader);
  if (key === undefined || UNUSUAL_KEYS.has(key) || key.length > LONGEST_KEY || key.includes('${'))
    return undefined;
  if (source[reader.at] !== ':') return undefined;
  reader.at += 1;
  return isPlain || inFlow || ' \r\n'.includes(source[reader.at] ?? '\n') ? key : undefined;
}

/** Reads the value below a key: an indented map or list, a list that is not indented, or null. */
function readBelow(reader: LineReader, column: number): Json | undefined {
  toNextLine(reader);
  const isList = reader.source.startsWith('- ', reader.at);
  if (reader.column > column) return isList ? readList(reader) : readMap(reader);
  return isList && reader.column === column ? readList(reader) : null;
}

function readList(reader: LineReader): Json | undefined {
  const { source, column, path } = reader;
  if (column > MOST_COLUMNS) return undefined;
  const list: Json[] = [];
  while (reader.column === column && source.startsWith('- ', reader.at)) {
    const { at } = reader;
    reader.at += 1;
    pass(BLANKS, reader);
    reader.column += reader.at - at;
    path.push(list.length);
    const item = readItem(reader);
    if (item === undefined) return undefined;
    path.pop();
    list.push(item);
  }
  return reader.column <= column ? list : undefined; // equal: the next key of the map that the list is in
}

function readItem(reader: LineReader): Json | undefined {
  const { source, at } = reader;
  if (source.startsWith('- ', at)) return readList(reader);
  const isMap = readKey(reader) !== undefined;
  reader.at = at;
  return isMap ? readMap(reader) : readOnLine(reader);
}

/** Reads a value that ends on its line, or a flow collection; `blanks` says whether it can have several lines. */
function readOnLine(reader: LineReader, blanks = BLANKS): Json | undefined {
  const { source, at } = reader;
  const value = '{['.includes(source[at] ?? '')
    ? readFlow(reader, blanks)
    : readScalar(reader, readPlainLine);
  pass(BLANKS, reader);
  if (value === undefined || !isLineOver(reader)) return undefined;
  toNextLine(reader);
  return value;
}

/** A map in braces or a list in brackets. */
function readFlow(reader: LineReader, blanks: RegExp, levels = 0): Json | undefined {
  const { source, path } = reader;
  const isMap = source[reader.at] === '{';
  const close = isMap ? '}' : ']';
  const map: Record<string, Json> = {};
  const list: Json[] = [];
  reader.at += 1;
  pass(blanks, reader);
  while (source[reader.at] !== close) {
    const key = isMap ? readKey(reader, true) : list.length;
    if (key === undefined || levels > MOST_COLUMNS || (isMap && Object.hasOwn(map, key))) return undefined;
    pass(blanks, reader);
    path.push(key);
    const isFlow = '{['.includes(source[reader.at] ?? ' ');
    const value = isFlow ? readFlow(reader, blanks, levels + 1) : readScalar(reader, readPlainInFlow);
    if (value === undefined) return undefined;
    path.pop();
    if (isMap) map[key] = value;
    else list.push(value);
    pass(blanks, reader);
    if (source[reader.at] === ',') {
      reader.at += 1;
      pass(blanks, reader);
    } else if (source[reader.at] !== close) return undefined;
  }
  reader.at += 1;
  return isMap ? map : list;
}

function readScalar(
  reader: LineReader,
  readPlainText: (reader: LineReader) => string | undefined,
): Json | undefined {
  const isQuoted = reader.source[reader.at] === '"' || reader.source[reader.at] === "'";
  const text = isQuoted ? readQuoted(reader) : readPlainText(reader);
  if (text === undefined) return undefined;
  if (text.includes('${')) return readTemplate(text, !isQuoted, reader);
  return isQuoted ? text : exactPlain(text);
}

/** Reads quoted text on one line; undefined if there is none, or if it has an escape that JSON does not have. */
function readQuoted(reader: LineReader): string | undefined {
  const { source, at } = reader;
  const quote = source[at];
  if (quote !== '"' && quote !== "'") return undefined;
  const escape = quote === '"' ? '\\' : quote;
  let end = at + 1;
  while (source[end] !== quote || (quote === escape && source[end + 1] === quote)) {
    if (end >= source.length || source[end] === '\n') return undefined;
    end += source[end] === escape ? 2 : 1;
  }
  reader.at = end + 1;
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
function readPlainLine(reader: LineReader): string | undefined {
  const { source, at } = reader;
  if (!pass(BEGIN_PLAIN, reader)) return undefined;
  const line = source.slice(at, lineEnd(source, at));
  const comment = line.indexOf(' #');
  let end = comment === -1 ? line.length : comment;
  while (line[end - 1] === ' ' || line[end - 1] === '\r') end -= 1;
  reader.at = at + end;
  const text = line.slice(0, end);
  return text.includes(': ') || text.endsWith(':') ? undefined : text;
}

function readPlainInFlow(reader: LineReader): string | undefined {
  const { source, at } = reader;
  return pass(PLAIN_IN_FLOW, reader) ? source.slice(at, reader.at) : undefined;
}

function readTemplate(text: string, isPlain: boolean, reader: LineReader): Json | undefined {
  const { placeholders, path } = reader;
  if ('keep' in placeholders || placeholders.missing === 'withheld' || placeholders.defaults === 'open')
    return undefined;
  const filled = fillIn(text, placeholders);
  if (filled.faults.length + filled.open.length > 0) return undefined;
  const template = asTemplate(text, isPlain);
  if (filled.variables.length > 0) {
    const pointer = printPointer(path);
    if (isAlwaysShown(pointer)) return undefined;
    reader.templates ??= new Map();
    reader.templates.set(pointer, { ...template, variables: filled.variables });
  }
  return valueIn(filled, template);
}

/** Whether nothing but a comment follows on the line. */
function isLineOver({ source, at }: LineReader): boolean {
  const next = source[at];
  return next === undefined || next === '\n' || (next === '#' && source[at - 1] === ' ');
}

function toNextLine(reader: LineReader): void {
  toEntry(reader, lineEnd(reader.source, reader.at) + 1);
}

/** Moves to the first line from `line` on that has content. */
function toEntry(reader: LineReader, line: number): void {
  const { source } = reader;
  let start = line;
  reader.at = start;
  pass(BLANKS, reader);
  while (source[reader.at] === '#' || source[reader.at] === '\n') {
    start = lineEnd(source, reader.at) + 1;
    reader.at = start;
    pass(BLANKS, reader);
  }
  reader.column = reader.at >= source.length ? NOWHERE : reader.at - start;
}

function lineEnd(source: string, at: number): number {
  const end = source.indexOf('\n', at);
  return end === -1 ? source.length : end;
}

/** Moves past a match of the pattern at the current offset; returns whether there is one. */
function pass(pattern: RegExp, reader: LineReader): boolean {
  pattern.lastIndex = reader.at;
  const found = pattern.test(reader.source);
  if (found) reader.at = pattern.lastIndex;
  return found;
}
