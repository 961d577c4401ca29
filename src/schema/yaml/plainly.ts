import {
  CHOMPING_MODE,
  EVENT_ID,
  getScalarValue,
  parseEvents,
  SCALAR_STYLE,
  YAMLException,
  type Event,
  type MappingEvent,
  type ScalarEvent,
  type SequenceEvent,
} from 'js-yaml';
import { printPointer, type Json, type Pointer } from '../../model/json/json.ts';
import type { SourceFile } from '../../model/problem.ts';
import type { Template } from '../../model/state.ts';
import { fillIn, isSource, type Variables } from './interpolate.ts';
import { readBlocks } from './blocks.ts';
import type { ParsedDocument } from './document.ts';
import { positionAt } from './lines.ts';
import { exactPlain, readPlain } from './plain.ts';

/**
 * The documents of a file in which there is nothing but maps, lists, text, exact numbers and placeholders that can be
 * filled in, which is most; several times as fast as the reading that knows everything. Undefined for any other file,
 * and for one with a mistake: whoever reads it then says where.
 */
export function readPlainly(file: SourceFile, variables: Variables): readonly ParsedDocument[] | undefined {
  if (UNUSUAL_LINE.test(file.text)) return undefined;
  const documents: ParsedDocument[] = [];
  let index = 0;
  try {
    for (const { source, offset } of documentsIn(file.text)) {
      let document: Read | undefined = readBlocks(source);
      if (document === undefined) {
        const events = parseEvents(source, {});
        if (events.length === 0) continue; // comments before the first document
        document = readDocument({ source, events, variables, next: 1, path: [], templates: new Map() });
      }
      if (document !== undefined) {
        const { start, value, templates = NO_TEMPLATES } = document;
        const ref = { file, index, offset: offset + start };
        documents.push({ ref, at: positionAt(file, ref.offset), value, templates, problems: [] });
      }
      index += 1;
    }
  } catch (error) {
    if (error instanceof Unusual || error instanceof YAMLException) return undefined;
    throw error;
  }
  return documents;
}

const NO_TEMPLATES: ReadonlyMap<Pointer, Template> = new Map();

class Unusual extends Error {}

/**
 * Directives, ends of documents that are written out, lines that begin with a tab, a colon or a comma, line breaks
 * of a bygone age, byte order marks: where parsers are known to disagree, or a file is likely to be broken.
 */
const UNUSUAL_LINE = /(?:^|\n)(?:%|\.\.\.| +---| *[\t:,])|\r(?!\n)|\uFEFF/;

/** Wherever it stands, a line that begins with --- begins a document (YAML 1.2.2, 9.1.2). */
function* documentsIn(text: string): Generator<{ readonly source: string; readonly offset: number }> {
  let offset = 0;
  for (const { index } of text.matchAll(/\n---(?=[ \t\r\n]|$)/g)) {
    yield { source: text.slice(offset, index + 1), offset };
    offset = index + 1;
  }
  yield { source: text.slice(offset), offset };
}

/** A document as its events, and how far it has been read. */
type Reading = {
  readonly source: string;
  readonly events: readonly Event[];
  readonly variables: Variables;
  readonly templates: Map<Pointer, Template>;
  /** Where in the document the reading is. */
  readonly path: (string | number)[];
  next: number;
};

type Read = {
  readonly start: number;
  readonly value: Json;
  readonly templates?: ReadonlyMap<Pointer, Template>;
};

/** Undefined for a document with nothing in it. */
function readDocument(reading: Reading): Read | undefined {
  const [, first] = reading.events;
  if (first?.type === EVENT_ID.SCALAR && first.valueStart === NOWHERE && first.tagStart === NOWHERE)
    return undefined;
  if (first === undefined || !('start' in first)) throw new Unusual(); // text alone declares nothing
  return { start: first.start, value: readNode(reading), templates: reading.templates };
}

/** How an event says that it has no such part. */
const NOWHERE = -1;

function readNode(reading: Reading): Json {
  const event = reading.events[reading.next++];
  switch (event?.type) {
    case EVENT_ID.SCALAR:
      refuseProperties(event);
      return readScalar(event, reading);
    case EVENT_ID.MAPPING:
      refuseProperties(event);
      return readMap(reading);
    case EVENT_ID.SEQUENCE:
      refuseProperties(event);
      return readList(reading);
    default:
      throw new Unusual();
  }
}

/** Anchors and tags. */
function refuseProperties({ anchorStart, tagStart }: ScalarEvent | MappingEvent | SequenceEvent): void {
  if (anchorStart !== NOWHERE || tagStart !== NOWHERE) throw new Unusual();
}

function readMap(reading: Reading): Json {
  const map: Record<string, Json> = {};
  while (!atEnd(reading)) {
    const key = readKey(reading);
    if (Object.hasOwn(map, key)) throw new Unusual();
    reading.path.push(key);
    map[key] = readNode(reading);
    reading.path.pop();
  }
  return map;
}

function readList(reading: Reading): Json {
  const list: Json[] = [];
  while (!atEnd(reading)) {
    reading.path.push(list.length);
    list.push(readNode(reading));
    reading.path.pop();
  }
  return list;
}

/** Whether the map or list is over; then the reading goes on behind it. */
function atEnd(reading: Reading): boolean {
  if (reading.events[reading.next]?.type !== EVENT_ID.POP) return false;
  reading.next += 1;
  return true;
}

function readKey(reading: Reading): string {
  const event = reading.events[reading.next++];
  if (event?.type !== EVENT_ID.SCALAR) throw new Unusual();
  refuseProperties(event);
  const key = getScalarValue(reading.source, event);
  const quotes = event.style === SCALAR_STYLE.PLAIN ? 0 : 1;
  const isApart = BEFORE_KEY.has(reading.source[event.valueStart - quotes - 1] ?? '\n');
  if (!isApart || UNUSUAL_KEYS.has(key) || key.includes('${')) throw new Unusual();
  return key;
}

const BEFORE_KEY = new Set([' ', '\n', '{', ',']);

/** A merge, nothing, and what an object would not take for a key. */
const UNUSUAL_KEYS = new Set(['<<', '', '__proto__']);

function readScalar(scalar: ScalarEvent, reading: Reading): Json {
  if (scalar.chomping === CHOMPING_MODE.KEEP) throw new Unusual();
  const text = getScalarValue(reading.source, scalar);
  const isPlain = scalar.style === SCALAR_STYLE.PLAIN;
  const value = text.includes('${')
    ? readTemplate(text, isPlain, reading)
    : isPlain
      ? exactPlain(text)
      : text;
  if (value === undefined) throw new Unusual();
  return value;
}

function readTemplate(text: string, isPlain: boolean, { variables, templates, path }: Reading): Json {
  const filled = fillIn(text, variables);
  if (filled.faults.length > 0 || filled.variables.some(isSource)) throw new Unusual();
  const plain = isPlain && filled.whole;
  if (filled.variables.length > 0)
    templates.set(printPointer(path), { text, plain, variables: filled.variables });
  return plain ? (filled.typed ?? readPlain(filled.text)) : filled.text;
}
