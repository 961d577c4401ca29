import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Scalar,
  type Alias,
  type Document,
  type Node,
  type Pair,
  type YAMLMap,
} from 'yaml';
import { isObject, joinPointer, parsePointer, type Json, type Pointer } from '../../model/json/json.ts';
import type { DocumentRef, Problem } from '../../model/problem.ts';
import type { Template } from '../../model/state.ts';
import { exposedBy, isAlwaysShown } from './exposure.ts';
import {
  asTemplate,
  fillIn,
  hasVariable,
  NO_VARIABLES,
  valueIn,
  type Fault,
  type Placeholders,
} from './interpolate.ts';
import { exactNumber } from './plain.ts';
import { isOurs } from './ours.ts';
import { isMergeKey, isTemplate, MOST_LEVELS, targetsOf, TEMPLATE, TOO_DEEP } from './syntax.ts';

/** As much of a template as tells that it is one. */
const LONGEST_TEMPLATE = 200;

/** Protects against documents that expand exponentially through aliases. */
const MOST_ALIASED_NODES = 100_000;

/** The state of reading one document. */
export type ValueReader = {
  readonly document: Document.Parsed;
  readonly ref: DocumentRef;
  readonly placeholders: Placeholders;
  readonly templates: Map<Pointer, Template>;
  readonly problems: Problem[];
  /** Offsets and messages of problems: an alias reads the same text again. */
  readonly told: Set<string>;
  readonly aliases: { nodes: number };
  /** The anchored nodes that are currently read. */
  readonly open: Set<Node>;
  readonly levels: { deep: number };
};

/** The value of a node, with resolved aliases and placeholders. */
export function readNode(node: Node | null | undefined, path: Pointer, reader: ValueReader): Json {
  if (node === null || node === undefined) return null;
  if (isAlias(node)) return follow(node, path, reader, (target) => readNode(target, path, reader)) ?? null;
  if (isTagged(node)) {
    complain(reader, node, 'a tag, which starts with !, is not supported here', QUOTE_TAG);
    if (isScalar(node)) return node.source ?? null;
  }
  if (reader.open.size > 0 && (reader.aliases.nodes += 1) > MOST_ALIASED_NODES) return null;
  if (isMap(node)) return deeper(node, reader, () => readMap(node as YAMLMap.Parsed, path, reader));
  if (isSeq(node)) {
    const read = (item: unknown, at: number): Json => readNode(item as Node, joinPointer(path, at), reader);
    return deeper(node, reader, () => node.items.map(read));
  }
  return isScalar(node) ? readScalar(node, path, reader) : null;
}

/** Whether a value has a tag other than those of JSON's types, so that its text is not all of it. */
function isTagged({ tag = '' }: Node): boolean {
  return tag !== '' && tag !== '!' && !/^tag:yaml\.org,2002:(?:str|int|float|bool|null|map|seq)$/.test(tag);
}
const QUOTE_TAG =
  'remove the tag, or put quotes around a text that starts with !; secrets are ${VARIABLE} or ${file:PATH}';

/** Reads a map or a list; null and a problem if it is nested too deeply. */
function deeper(node: Node, reader: ValueReader, read: () => Json): Json {
  const { levels } = reader;
  if (levels.deep >= MOST_LEVELS) {
    complain(reader, node, TOO_DEEP, 'reduce the nesting');
    return null;
  }
  levels.deep += 1;
  const value = read();
  levels.deep -= 1;
  return value;
}

const NO_ANCHOR = [
  'no anchor before it in this document has this name',
  'put quotes around it if it is text, or define the anchor first with &',
] as const;
const LOOP = ['the alias refers to itself', 'write the value out'] as const;

/** Reads the target of an alias; undefined if it does not exist or refers to itself. */
function follow<T>(
  alias: Alias,
  path: Pointer,
  reader: ValueReader,
  read: (target: Node) => T,
): T | undefined {
  if (reader.aliases.nodes > MOST_ALIASED_NODES) return undefined;
  const target = targetsOf(reader.document).get(alias);
  if (target === undefined || reader.open.has(target)) {
    const [message, hint] = target === undefined ? NO_ANCHOR : LOOP;
    complain(reader, alias, message, hint, path);
    return undefined;
  }
  reader.open.add(target);
  const value = read(target);
  reader.open.delete(target);
  const isOutermost = reader.open.size === 0;
  if (isOutermost && reader.aliases.nodes > MOST_ALIASED_NODES)
    complain(reader, alias, 'the aliases expand to too many values');
  return value;
}

function readMap(map: YAMLMap.Parsed, path: Pointer, reader: ValueReader): Json {
  const entries = new Map<string, Json>();
  for (const pair of map.items) {
    if (isMergeKey(pair)) continue;
    const key = readKey(pair, path, reader);
    if (key === undefined) continue;
    // 1 and "1" are one key in JSON, and so are two that ${…} makes alike.
    if (!entries.has(key)) entries.set(key, readNode(pair.value, joinPointer(path, key), reader));
    else if (path === '' && key === 'apiVersion' && isOurs(reader.ref.file)) {
      // The keys behind it are those of the second document.
      complain(reader, pair.key, 'a second document begins here', 'put a line with --- above it');
      break;
    } else complain(reader, pair.key, repeatedKey(key, reader), 'keep one of the two');
  }
  // A key of the map overrides a merged one, wherever the merge is; of two merged ones, the first counts.
  for (const [index, pair] of map.items.filter(isMergeKey).entries()) {
    // Which of two counts differs from parser to parser.
    if (index > 0) complain(reader, pair.key, repeatedKey('<<', reader), 'make them one: <<: [*a, *b]');
    merge(pair.value, entries, path, reader);
  }
  return Object.fromEntries(entries);
}

/** Nothing of a file of others is shown. */
function repeatedKey(key: string, { ref }: ValueReader): string {
  return isOurs(ref.file)
    ? `the key ${JSON.stringify(key)} is already in this map`
    : 'a key is already in its map';
}

/** Adds the entries of a map or a list of maps that do not exist yet, with their templates. */
function merge(source: Node | null, entries: Map<string, Json>, path: Pointer, reader: ValueReader): void {
  if (isAlias(source)) {
    follow(source, path, reader, (target) => merge(target, entries, path, reader));
  } else if (isSeq(source)) {
    for (const item of source.items) merge(item as Node, entries, path, reader);
  } else if (isMap(source)) {
    const templates = new Map<Pointer, Template>();
    const merged = readMap(source as YAMLMap.Parsed, path, { ...reader, templates });
    const added = new Set<string>();
    for (const [key, value] of isObject(merged) ? Object.entries(merged) : []) {
      if (entries.has(key)) continue;
      entries.set(key, value);
      added.add(key);
    }
    const depth = parsePointer(path).length;
    for (const [pointer, template] of templates) {
      const key = parsePointer(pointer)[depth];
      if (key !== undefined && added.has(key)) reader.templates.set(pointer, template);
    }
  } else if (source !== null) {
    complain(reader, source, 'expected a map to merge', 'use an alias of a map, or a list of aliases');
  }
}

function readKey({ key }: Pair, path: Pointer, reader: ValueReader): string | undefined {
  if (!isScalar(key)) {
    const { range } = key as Node;
    const line = reader.ref.file.text.slice(range?.[0], (range?.[0] ?? 0) + LONGEST_TEMPLATE);
    if (isOurs(reader.ref.file) && isTemplate(line))
      complain(reader, key as Node, TEMPLATE.message, TEMPLATE.hint, path);
    else
      complain(
        reader,
        key as Node,
        'a key must be text',
        'put quotes around text with braces: "{{…}}"',
        path,
      );
    return undefined;
  }
  const written = typeof key.value === 'string' ? key.value : (key.source ?? String(key.value));
  const { placeholders } = reader;
  if ('keep' in placeholders) {
    if (!hasVariable(written)) return fillIn(written, NO_VARIABLES).text;
    report([placeholders.keep(path, 'key') ?? []].flat(), key, path, reader);
    return written;
  }
  const filled = fillIn(written, placeholders);
  report(filled.faults, key, path, reader);
  if (filled.variables.length === 0) return filled.text;
  report([exposedBy(filled.variables, placeholders)], key, path, reader);
  return written;
}

function readScalar(scalar: Scalar, path: Pointer, reader: ValueReader): Json {
  const { value } = scalar;
  if (typeof value === 'string')
    return value.includes('${') ? readTemplate(scalar, value, path, reader) : value;
  if (typeof value === 'number') return readNumber(scalar, value, reader);
  return typeof value === 'boolean' ? value : null;
}

function readNumber(scalar: Scalar, value: number, reader: ValueReader): Json {
  const source = scalar.source ?? '';
  const isAmbiguous = /^[-+]?0\d+$/.test(source);
  const number = isAmbiguous ? undefined : exactNumber(value, source);
  if (number !== undefined) return number;
  addProblem(reader, {
    code: 'inexact-number',
    severity: 'error',
    message: isAmbiguous
      ? 'a number with a leading zero is octal in some YAML versions and decimal in others'
      : 'JSON cannot carry this number as it is written',
    at: { file: reader.ref.file, offset: scalar.range?.[0] ?? 0 },
    hint: isAmbiguous
      ? 'remove the leading zero; or, if it is text, put quotes around it'
      : 'write it with decimal digits; or, if it is text, put quotes around it',
  });
  return null;
}

function readTemplate(scalar: Scalar, text: string, path: Pointer, reader: ValueReader): Json {
  const { placeholders } = reader;
  const isPlain = scalar.type === Scalar.PLAIN;
  if ('keep' in placeholders) {
    if (!hasVariable(text)) return fillIn(text, NO_VARIABLES).text;
    const fault = placeholders.keep(path, 'value');
    if (fault === undefined) reader.templates.set(path, { ...asTemplate(text, isPlain), variables: [] });
    else report([fault], scalar, path, reader);
    return text;
  }
  const isShown = isAlwaysShown(path);
  const filled = fillIn(text, placeholders, isShown ? 'name' : 'value');
  const { variables: names, open } = filled;
  report(filled.faults, scalar, path, reader);
  if (isShown && names.length > 0) {
    report([exposedBy(names, placeholders)], scalar, path, reader);
    return text;
  }
  const template = asTemplate(text, isPlain);
  if (names.length > 0)
    reader.templates.set(path, {
      ...template,
      variables: names,
      ...(open.length === 0 ? {} : { open }),
    });
  return valueIn(filled, template);
}

function report(faults: readonly Fault[], node: Scalar, path: Pointer, reader: ValueReader): void {
  for (const fault of faults) {
    const at = { file: reader.ref.file, offset: node.range?.[0] ?? 0 };
    addProblem(reader, { ...fault, severity: 'error', at, path });
  }
}

function complain(
  reader: ValueReader,
  node: Node,
  message: string,
  hint = 'write the value out',
  path?: Pointer,
): void {
  const at = { file: reader.ref.file, offset: node.range?.[0] ?? 0 };
  const about = { code: 'invalid-yaml', severity: 'error', message, at, hint } as const;
  addProblem(reader, path === undefined ? about : { ...about, path });
}

function addProblem(
  { problems, told }: ValueReader,
  problem: Problem & { readonly at: { readonly offset: number } },
): void {
  const text = `${problem.at.offset} ${problem.message}`;
  if (told.has(text)) return;
  told.add(text);
  problems.push(problem);
}
