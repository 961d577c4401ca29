import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseAllDocuments,
  Scalar,
  stringify,
  visit,
  type Alias,
  type Document,
  type Node,
  type Pair,
  type YAMLMap,
} from 'yaml';
import { isObject, joinPointer, parsePointer, type Json, type Pointer } from '../model/json.ts';
import type { DocumentRef, Place, Position, Problem, SourceFile } from '../model/problem.ts';
import type { Template } from '../model/state.ts';
import { fillIn, type Variables } from './interpolate.ts';

/** One document of a file, as values; `templates` names the fields that `${…}` filled in. */
export type ParsedDocument = {
  readonly ref: DocumentRef;
  readonly at: Position;
  readonly value: Json;
  readonly templates: ReadonlyMap<Pointer, Template>;
  /** Fields that an overlay gave, where they stand. */
  readonly places?: ReadonlyMap<Pointer, Place>;
  readonly problems: readonly Problem[];
};

/** A file that repeats itself by aliases more often than this is an attack, not a configuration. */
const MOST_ALIASED_NODES = 100_000;

/** Deeper than this is an attack, too; whether the stack holds must not decide it. */
const MOST_LEVELS = 200;
const TOO_DEEP = 'the nesting is deeper than anybody means';

/** Reads YAML 1.2 (and so JSON) with merge keys; documents with nothing in them are passed over. */
export function parseYaml(file: SourceFile, variables: Variables): readonly ParsedDocument[] {
  const { documents, lines } = syntaxOf(file);
  return documents.flatMap((document, index) => {
    const { contents, errors } = document;
    const empty =
      contents === null || (isScalar(contents) && contents.value === null && contents.source === '');
    if (empty && errors.length === 0) return [];
    const offset = contents?.range[0] ?? errors[0]?.pos[0] ?? 0;
    const ref = { file, index, offset };
    const at = positionAt(file, lines, offset);
    const problems = withoutEchoes(errors).map(({ code, message, pos }) =>
      syntaxProblem(file, code, message, pos[0]),
    );
    if (problems.length > 0 || contents === null)
      return [{ ref, at, value: null, templates: new Map(), problems }];
    const reading = {
      document,
      ref,
      variables,
      templates: new Map(),
      problems,
      told: new Set<string>(),
      aliases: { nodes: 0 },
      open: new Set<Node>(),
      levels: { deep: 0 },
    };
    return [{ ref, at, value: readNode(contents, '', reading), templates: reading.templates, problems }];
  });
}

/** Where a place is, for people: one-based, with the length of what stands there on its first line. */
export function locate(place: Place): Position & { readonly length: number } {
  const { file, start, end } = spanOf(place);
  const text = file.text.slice(start, end).split('\n', 1)[0] ?? '';
  return { ...positionAt(file, syntaxOf(file).lines, start), length: Math.max(1, text.trimEnd().length) };
}

// Editors do not count the byte order mark that some of them put first.
function positionAt(file: SourceFile, lines: LineCounter, offset: number): Position {
  const { line, col } = lines.linePos(offset);
  const hidden = line === 1 && offset > 0 && file.text.startsWith('\uFEFF') ? 1 : 0;
  return { file: file.path, line, column: col - hidden };
}

/** Values as YAML documents, one after the other. */
export function printYaml(values: readonly Json[]): string {
  return values.map((value) => stringify(value, { lineWidth: 0 })).join('---\n');
}

type Syntax = { readonly documents: readonly Document.Parsed[]; readonly lines: LineCounter };
const parsed = new WeakMap<SourceFile, Syntax>();

// Asked for again only when a problem wants a position, and then from the same text.
function syntaxOf(file: SourceFile): Syntax {
  const known = parsed.get(file);
  if (known !== undefined) return known;
  const lines = new LineCounter();
  const found = parseAllDocuments(file.text, {
    merge: true,
    prettyErrors: false,
    lineCounter: lines,
    logLevel: 'silent',
  });
  const syntax = { documents: 'empty' in found ? [] : found, lines };
  if (lines.lineStarts.length === 0) lines.addNewLine(0);
  parsed.set(file, syntax);
  return syntax;
}

/** After the first broken place the rest of a document is guesswork; a key that is there twice is not. */
function withoutEchoes(errors: Document.Parsed['errors']): Document.Parsed['errors'] {
  const first = errors.find(({ code }) => code !== 'DUPLICATE_KEY');
  return errors.filter((error) => error === first || error.code === 'DUPLICATE_KEY');
}

function syntaxProblem(file: SourceFile, code: string, message: string, offset: number): Problem {
  const duplicate = code === 'DUPLICATE_KEY';
  return {
    code: 'invalid-yaml',
    severity: 'error',
    message: duplicate ? 'the key is already in this map' : firstSentence(message),
    at: { file, offset },
    hint: duplicate
      ? 'keep one of the two'
      : file.text.slice(offset - 1, offset + 1) === '${'
        ? 'put quotes around ${…} where it stands between braces or brackets'
        : 'mend the syntax; nothing of this document was read',
  };
}

function firstSentence(message: string): string {
  if (message.includes('call stack')) return TOO_DEEP;
  const [line = message] = message.split('\n');
  return line.replace(/\.$/, '').replace(/^./, (letter) => letter.toLowerCase());
}

type Reading = {
  readonly document: Document.Parsed;
  readonly ref: DocumentRef;
  readonly variables: Variables;
  readonly templates: Map<Pointer, Template>;
  readonly problems: Problem[];
  /** Kinds and offsets of the problems so far: an alias reads the same text once more. */
  readonly told: Set<string>;
  readonly aliases: { nodes: number };
  /** The anchored nodes that are being read. */
  readonly open: Set<Node>;
  readonly levels: { deep: number };
};

function readNode(node: Node | null | undefined, path: Pointer, reading: Reading): Json {
  if (node === null || node === undefined) return null;
  if (isAlias(node)) return follow(node, reading, (target) => readNode(target, path, reading)) ?? null;
  if (reading.open.size > 0 && (reading.aliases.nodes += 1) > MOST_ALIASED_NODES) return null;
  if (isMap(node)) return deeper(node, reading, () => readMap(node as YAMLMap.Parsed, path, reading));
  if (isSeq(node)) {
    const read = (item: unknown, at: number): Json => readNode(item as Node, joinPointer(path, at), reading);
    return deeper(node, reading, () => node.items.map(read));
  }
  return isScalar(node) ? readScalar(node, path, reading) : null;
}

/** Reads a map or a list; null for one that lies too deep, which is a problem. */
function deeper(node: Node, reading: Reading, read: () => Json): Json {
  const { levels } = reading;
  if (levels.deep >= MOST_LEVELS) {
    complain(reading, node, TOO_DEEP, 'write it flatter');
    return null;
  }
  levels.deep += 1;
  const value = read();
  levels.deep -= 1;
  return value;
}

/** Reads what an alias stands for; undefined where that is nothing, or has no end. */
function follow<T>(alias: Alias, reading: Reading, read: (target: Node) => T): T | undefined {
  if (reading.aliases.nodes > MOST_ALIASED_NODES) return undefined;
  const target = targetsOf(reading.document).get(alias);
  if (target === undefined || reading.open.has(target)) {
    complain(
      reading,
      alias,
      target === undefined ? 'the anchor is not in this document' : 'the aliases never end',
    );
    return undefined;
  }
  reading.open.add(target);
  const value = read(target);
  reading.open.delete(target);
  const isOutermost = reading.open.size === 0;
  if (isOutermost && reading.aliases.nodes > MOST_ALIASED_NODES)
    complain(reading, alias, 'the aliases multiply beyond measure');
  return value;
}

const targets = new WeakMap<Document.Parsed, ReadonlyMap<Node, Node>>();

/** What each alias stands for: the last anchor of its name before it. One walk, where to ask each alias takes one each. */
function targetsOf(document: Document.Parsed): ReadonlyMap<Node, Node> {
  const known = targets.get(document);
  if (known !== undefined) return known;
  const anchored = new Map<string, Node>();
  const found = new Map<Node, Node>();
  visit(document, {
    Node(_, node) {
      if (isAlias(node)) {
        const target = anchored.get(node.source);
        if (target !== undefined) found.set(node, target);
      } else if (node.anchor !== undefined) {
        anchored.set(node.anchor, node);
      }
    },
  });
  targets.set(document, found);
  return found;
}

function readMap(map: YAMLMap.Parsed, path: Pointer, reading: Reading): Json {
  const entries = new Map<string, Json>();
  for (const pair of map.items) {
    if (isMergeKey(pair)) continue;
    const key = readKey(pair, path, reading);
    if (key === undefined) continue;
    // 1 and "1" are one key in JSON, and so are two that ${…} makes alike.
    if (entries.has(key))
      complain(reading, pair.key, 'the key is already in this map', 'keep one of the two');
    else entries.set(key, readNode(pair.value, joinPointer(path, key), reading));
  }
  // A key of the map itself wins over a merged one, wherever the merge stands; of two merged ones, the first.
  for (const pair of map.items) if (isMergeKey(pair)) merge(pair.value, entries, path, reading);
  return Object.fromEntries(entries);
}

function isMergeKey({ key }: Pair): boolean {
  return isScalar(key) && typeof key.value === 'symbol';
}

/** Adds the entries of a map, or of a list of maps, and the templates of those that were not there yet. */
function merge(source: Node | null, entries: Map<string, Json>, path: Pointer, reading: Reading): void {
  if (isAlias(source)) {
    follow(source, reading, (target) => merge(target, entries, path, reading));
  } else if (isSeq(source)) {
    for (const item of source.items) merge(item as Node, entries, path, reading);
  } else if (isMap(source)) {
    const templates = new Map<Pointer, Template>();
    const merged = readMap(source as YAMLMap.Parsed, path, { ...reading, templates });
    for (const [key, value] of isObject(merged) ? Object.entries(merged) : []) {
      if (entries.has(key)) continue;
      entries.set(key, value);
      const at = joinPointer(path, key);
      for (const [pointer, template] of templates) {
        if (pointer === at || pointer.startsWith(`${at}/`)) reading.templates.set(pointer, template);
      }
    }
  } else if (source !== null) {
    complain(reading, source, 'expected a map to merge', 'name an anchor of a map, or a list of them');
  }
}

function readKey({ key }: Pair, path: Pointer, reading: Reading): string | undefined {
  if (!isScalar(key)) {
    complain(reading, key as Node, 'a key must be text', 'put quotes around it: "{{…}}"');
    return undefined;
  }
  const written = typeof key.value === 'string' ? key.value : (key.source ?? String(key.value));
  const filled = fillIn(written, reading.variables);
  report(filled.faults, key, path, reading);
  return filled.text;
}

function readScalar(scalar: Scalar, path: Pointer, reading: Reading): Json {
  const { value } = scalar;
  if (typeof value === 'string')
    return value.includes('${') ? readTemplate(scalar, value, path, reading) : value;
  if (typeof value === 'number') return readNumber(scalar, value, reading);
  if (value === null || typeof value === 'boolean') return value;
  complain(reading, scalar, 'the value is of a type that JSON does not have', 'put quotes around it');
  return null;
}

function readNumber(scalar: Scalar, value: number, reading: Reading): Json {
  const source = scalar.source ?? '';
  const octalToSome = /^[-+]?0\d+$/.test(source);
  if (octalToSome || !isExact(value, source)) {
    tell(reading, {
      code: 'inexact-number',
      severity: 'error',
      message: octalToSome
        ? 'a number with a leading zero is octal to some readers of YAML and decimal to others'
        : 'the number cannot be carried exactly in JSON',
      at: { file: reading.ref.file, offset: scalar.range?.[0] ?? 0 },
      hint: octalToSome
        ? 'take the leading zero away, or put quotes around it'
        : 'put quotes around it, or use a smaller number',
    });
  }
  return Number.isFinite(value) ? value : null;
}

/** Whether a number is still what was written once it is one of JavaScript's. */
function isExact(value: number, written: string): boolean {
  if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) return false;
  const digits = significant(written);
  return digits === undefined || digits === significant(String(value));
}

/** A decimal number in one spelling: 1.50, 15e-1 and +1.5 are one. Undefined for what is no decimal number. */
function significant(written: string): string | undefined {
  const [, whole, fraction = '', exponent = '0'] =
    /^[-+]?(\d*)\.?(\d*)(?:e([-+]?\d+))?$/i.exec(written) ?? [];
  if (whole === undefined) return undefined;
  const digits = (whole + fraction).replace(/^0+/, '');
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return end === 0
    ? '0'
    : `${digits.slice(0, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}

function readTemplate(scalar: Scalar, text: string, path: Pointer, reading: Reading): Json {
  const filled = fillIn(text, reading.variables);
  report(filled.faults, scalar, path, reading);
  const plain = scalar.type === Scalar.PLAIN && filled.whole;
  if (filled.variables.length > 0) reading.templates.set(path, { text, plain, variables: filled.variables });
  return plain ? (filled.typed ?? readPlain(filled.text)) : filled.text;
}

/** The value that YAML gives to unquoted text; never a map or a list. */
export function readPlain(text: string): Json {
  const tag = plainTags().find(({ test }) => test?.test(text));
  const value: unknown = tag?.resolve?.(text, () => undefined, {}) ?? text;
  const scalar = value instanceof Scalar ? (value.value as unknown) : value;
  const exact = typeof scalar === 'number' ? isExact(scalar, text) && !/^[-+]?0\d/.test(text) : true;
  const plain = scalar === null || typeof scalar === 'boolean' || (typeof scalar === 'number' && exact);
  return plain ? scalar : text;
}

type PlainTag = {
  readonly test?: RegExp;
  readonly resolve?: (text: string, onError: () => void, options: object) => unknown;
};
let tags: readonly PlainTag[] | undefined;

function plainTags(): readonly PlainTag[] {
  tags ??= (parseAllDocuments('x') as Document[])[0]?.schema.tags.filter(
    (tag) => tag.default === true && 'test' in tag,
  ) as readonly PlainTag[]; // the scalar tags of the core schema, which all read text
  return tags;
}

function report(
  faults: ReturnType<typeof fillIn>['faults'],
  node: Scalar,
  path: Pointer,
  reading: Reading,
): void {
  for (const { code, message, hint } of faults) {
    const at = { file: reading.ref.file, offset: node.range?.[0] ?? 0 };
    tell(reading, { code, severity: 'error', message, at, path, hint });
  }
}

function complain(reading: Reading, node: Node, message: string, hint = 'write the value out'): void {
  const at = { file: reading.ref.file, offset: node.range?.[0] ?? 0 };
  tell(reading, { code: 'invalid-yaml', severity: 'error', message, at, hint });
}

function tell(
  { problems, told }: Reading,
  problem: Problem & { readonly at: { readonly offset: number } },
): void {
  const text = `${problem.at.offset} ${problem.message}`;
  if (told.has(text)) return;
  told.add(text);
  problems.push(problem);
}

type Span = { readonly file: SourceFile; readonly start: number; readonly end: number };

function spanOf(place: Place): Span {
  if ('offset' in place) return { file: place.file, start: place.offset, end: place.offset + 1 };
  const { document, path, on } = place;
  const syntax = syntaxOf(document.file).documents[document.index];
  let node: Node | null | undefined = syntax?.contents;
  let key: Node | undefined;
  for (const token of parsePointer(path)) {
    const next = stepInto(node, token, syntax);
    if (next === undefined) return spanOfNode(document, key ?? node); // not written: the nearest above it
    ({ key, node } = next);
  }
  const target = on === 'key' ? (key ?? node) : isWritten(node) ? node : (key ?? node);
  return spanOfNode(document, target);
}

function spanOfNode({ file, offset }: DocumentRef, node: Node | null | undefined): Span {
  const [start = offset, end = start + 1] = node?.range ?? [];
  return { file, start, end };
}

function isWritten(node: Node | null | undefined): boolean {
  return node?.range !== null && node?.range !== undefined && node.range[1] > node.range[0];
}

type Step = { readonly key: Node | undefined; readonly node: Node | null | undefined };

function stepInto(
  node: Node | null | undefined,
  token: string,
  document: Document.Parsed | undefined,
): Step | undefined {
  const here = isAlias(node) && document !== undefined ? targetsOf(document).get(node) : node;
  if (isSeq(here)) {
    const item = here.items[Number(token)] as Node | undefined;
    return item === undefined ? undefined : { key: undefined, node: item };
  }
  if (!isMap(here)) return undefined;
  const pair = here.items.find(({ key }) => isScalar(key) && String(key.source ?? key.value) === token);
  if (pair !== undefined) return { key: pair.key as Node, node: pair.value as Node | null };
  for (const { value } of here.items.filter(isMergeKey)) {
    for (const source of isSeq(value) ? value.items : [value]) {
      const found = stepInto(source as Node, token, document);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}
