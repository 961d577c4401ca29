import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseAllDocuments,
  Scalar,
  stringify,
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
  readonly problems: readonly Problem[];
};

/** A file that repeats itself by aliases more often than this is an attack, not a configuration. */
const MOST_ALIASED_NODES = 100_000;

/** Reads YAML 1.2 (and so JSON) with merge keys; documents with nothing in them are passed over. */
export function parseYaml(file: SourceFile, variables: Variables): readonly ParsedDocument[] {
  const { documents, lines } = syntaxOf(file);
  return documents.flatMap((document, index) => {
    const { contents, errors } = document;
    const empty =
      contents === null || (isScalar(contents) && contents.value === null && contents.source === '');
    if (empty && errors.length === 0) return [];
    const offset = contents?.range[0] ?? errors[0]?.pos[0] ?? 0;
    const { line, col } = lines.linePos(offset);
    const ref = { file, index, offset };
    const at = { file: file.path, line, column: col };
    const problems = errors.map((error) => syntaxProblem(file, error.code, error.message, error.pos[0]));
    if (problems.length > 0 || contents === null)
      return [{ ref, at, value: null, templates: new Map(), problems }];
    const reading = {
      document,
      ref,
      variables,
      templates: new Map(),
      problems,
      aliased: 0,
      open: new Set<Node>(),
    };
    return [{ ref, at, value: readNode(contents, '', reading), templates: reading.templates, problems }];
  });
}

/** Where a place is, for people: one-based, with the length of what stands there on its first line. */
export function locate(place: Place): Position & { readonly length: number } {
  const { file, start, end } = spanOf(place);
  const { line, col } = syntaxOf(file).lines.linePos(start);
  const text = file.text.slice(start, end).split('\n', 1)[0] ?? '';
  return { file: file.path, line, column: col, length: Math.max(1, text.trimEnd().length) };
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

function syntaxProblem(file: SourceFile, code: string, message: string, offset: number): Problem {
  const duplicate = code === 'DUPLICATE_KEY';
  return {
    code: 'invalid-yaml',
    severity: 'error',
    message: duplicate ? 'the key is already in this map' : firstSentence(message),
    at: { file, offset },
    hint: duplicate ? 'keep one of the two' : 'mend the syntax; nothing of this document was read',
  };
}

function firstSentence(message: string): string {
  const [line = message] = message.split('\n');
  return line.replace(/\.$/, '').replace(/^./, (letter) => letter.toLowerCase());
}

type Reading = {
  readonly document: Document.Parsed;
  readonly ref: DocumentRef;
  readonly variables: Variables;
  readonly templates: Map<Pointer, Template>;
  readonly problems: Problem[];
  readonly open: Set<Node>;
  aliased: number;
};

function readNode(node: Node | null | undefined, path: Pointer, reading: Reading): Json {
  if (node === null || node === undefined) return null;
  if (isAlias(node)) return readAlias(node, path, reading);
  if (reading.open.size > 0 && (reading.aliased += 1) > MOST_ALIASED_NODES) return null;
  if (isMap(node)) return readMap(node as YAMLMap.Parsed, path, reading);
  if (isSeq(node)) {
    return node.items.map((item, at) => readNode(item as Node, joinPointer(path, at), reading));
  }
  return isScalar(node) ? readScalar(node, path, reading) : null;
}

function readAlias(node: Node, path: Pointer, reading: Reading): Json {
  const target = isAlias(node) ? node.resolve(reading.document) : undefined;
  if (target === undefined || reading.open.has(target) || reading.aliased > MOST_ALIASED_NODES) {
    complain(
      reading,
      node,
      target === undefined ? 'the anchor is not in this document' : 'the aliases never end',
    );
    return null;
  }
  reading.open.add(target);
  const value = readNode(target, path, reading);
  reading.open.delete(target);
  if (reading.aliased > MOST_ALIASED_NODES) complain(reading, node, 'the aliases multiply beyond measure');
  return value;
}

function readMap(map: YAMLMap.Parsed, path: Pointer, reading: Reading): Json {
  const entries = new Map<string, Json>();
  for (const pair of map.items) {
    if (isMergeKey(pair)) {
      for (const [key, value] of mergedEntries(pair, path, reading)) {
        if (!entries.has(key)) entries.set(key, value);
      }
      continue;
    }
    const key = readKey(pair, path, reading);
    // A key of the map itself wins over a merged one, wherever the merge stands.
    if (key !== undefined) entries.set(key, readNode(pair.value, joinPointer(path, key), reading));
  }
  return Object.fromEntries(entries);
}

function isMergeKey({ key }: Pair): boolean {
  return isScalar(key) && typeof key.value === 'symbol';
}

function mergedEntries(
  { value }: Pair,
  path: Pointer,
  reading: Reading,
): readonly (readonly [string, Json])[] {
  const merged = readNode(value as Node, path, reading);
  const sources = Array.isArray(merged) ? (merged as readonly Json[]) : [merged];
  return sources.flatMap((source) => (isObject(source) ? Object.entries(source) : []));
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
  if (octalToSome || !Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) {
    reading.problems.push({
      code: 'inexact-number',
      severity: 'error',
      message: octalToSome
        ? `${source} is an octal number to some readers of YAML and a decimal one to others`
        : `${source} cannot be carried exactly in JSON`,
      at: { file: reading.ref.file, offset: scalar.range?.[0] ?? 0 },
      hint: octalToSome
        ? 'take the leading zero away, or put quotes around it'
        : 'put quotes around it, or use a smaller number',
    });
  }
  return Number.isFinite(value) ? value : null;
}

function readTemplate(scalar: Scalar, text: string, path: Pointer, reading: Reading): Json {
  const filled = fillIn(text, reading.variables);
  report(filled.faults, scalar, path, reading);
  const plain = scalar.type === Scalar.PLAIN && filled.whole;
  if (filled.variables.length > 0) reading.templates.set(path, { text, plain, variables: filled.variables });
  return plain ? readPlain(filled.text) : filled.text;
}

/** The value that YAML gives to unquoted text; never a map or a list. */
export function readPlain(text: string): Json {
  const tag = plainTags().find(({ test }) => test?.test(text));
  const value: unknown = tag?.resolve?.(text, () => undefined, {}) ?? text;
  const scalar = value instanceof Scalar ? (value.value as unknown) : value;
  const exact = typeof scalar === 'number' ? Number.isFinite(scalar) && !/^[-+]?0\d/.test(text) : true;
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
  { problems, ref }: Reading,
): void {
  for (const { code, message, hint } of faults) {
    problems.push({
      code,
      severity: 'error',
      message,
      at: { file: ref.file, offset: node.range?.[0] ?? 0 },
      path,
      hint,
    });
  }
}

function complain(
  { problems, ref }: Reading,
  node: Node,
  message: string,
  hint = 'write the value out',
): void {
  const at = { file: ref.file, offset: node.range?.[0] ?? 0 };
  problems.push({ code: 'invalid-yaml', severity: 'error', message, at, hint });
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
  const here = isAlias(node) && document !== undefined ? node.resolve(document) : node;
  if (isSeq(here)) {
    const item = here.items[Number(token)] as Node | undefined;
    return item === undefined ? undefined : { key: undefined, node: item };
  }
  if (!isMap(here)) return undefined;
  const pair = here.items.find(({ key }) => isScalar(key) && String(key.source ?? key.value) === token);
  if (pair !== undefined) return { key: pair.key as Node, node: pair.value as Node | null };
  for (const merge of here.items.filter(isMergeKey)) {
    const found = stepInto(merge.value as Node, token, document);
    if (found !== undefined) return found;
  }
  return undefined;
}
