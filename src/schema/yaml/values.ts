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
import { isExact } from '../../model/json/numbers.ts';
import { isOurs } from './ours.ts';
import { isMergeKey, MOST_LEVELS, targetsOf, TOO_DEEP } from './syntax.ts';

/** Protects against documents that expand exponentially through aliases. */
const MOST_ALIASED_NODES = 100_000;

/** The state of reading one document. */
export type Reading = {
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
export function readNode(node: Node | null | undefined, path: Pointer, reading: Reading): Json {
  if (node === null || node === undefined) return null;
  if (isAlias(node)) return follow(node, path, reading, (target) => readNode(target, path, reading)) ?? null;
  if (isTagged(node)) {
    complain(reading, node, 'a tag, which starts with !, is not supported here', QUOTE_TAG);
    if (isScalar(node)) return node.source ?? null;
  }
  if (reading.open.size > 0 && (reading.aliases.nodes += 1) > MOST_ALIASED_NODES) return null;
  if (isMap(node)) return deeper(node, reading, () => readMap(node as YAMLMap.Parsed, path, reading));
  if (isSeq(node)) {
    const read = (item: unknown, at: number): Json => readNode(item as Node, joinPointer(path, at), reading);
    return deeper(node, reading, () => node.items.map(read));
  }
  return isScalar(node) ? readScalar(node, path, reading) : null;
}

/** Whether a value has a tag other than those of JSON's types, so that its text is not all of it. */
function isTagged({ tag = '' }: Node): boolean {
  return tag !== '' && tag !== '!' && !/^tag:yaml\.org,2002:(?:str|int|float|bool|null|map|seq)$/.test(tag);
}
const QUOTE_TAG =
  'remove the tag, or put quotes around a text that starts with !; secrets are ${VARIABLE} or ${file:PATH}';

/** Reads a map or a list; null and a problem if it is nested too deeply. */
function deeper(node: Node, reading: Reading, read: () => Json): Json {
  const { levels } = reading;
  if (levels.deep >= MOST_LEVELS) {
    complain(reading, node, TOO_DEEP, 'reduce the nesting');
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
function follow<T>(alias: Alias, path: Pointer, reading: Reading, read: (target: Node) => T): T | undefined {
  if (reading.aliases.nodes > MOST_ALIASED_NODES) return undefined;
  const target = targetsOf(reading.document).get(alias);
  if (target === undefined || reading.open.has(target)) {
    const [message, hint] = target === undefined ? NO_ANCHOR : LOOP;
    complain(reading, alias, message, hint, path);
    return undefined;
  }
  reading.open.add(target);
  const value = read(target);
  reading.open.delete(target);
  const isOutermost = reading.open.size === 0;
  if (isOutermost && reading.aliases.nodes > MOST_ALIASED_NODES)
    complain(reading, alias, 'the aliases expand to too many values');
  return value;
}

function readMap(map: YAMLMap.Parsed, path: Pointer, reading: Reading): Json {
  const entries = new Map<string, Json>();
  for (const pair of map.items) {
    if (isMergeKey(pair)) continue;
    const key = readKey(pair, path, reading);
    if (key === undefined) continue;
    // 1 and "1" are one key in JSON, and so are two that ${…} makes alike.
    if (entries.has(key)) complain(reading, pair.key, repeatedKey(key, reading), 'keep one of the two');
    else entries.set(key, readNode(pair.value, joinPointer(path, key), reading));
  }
  // A key of the map overrides a merged one, wherever the merge is; of two merged ones, the first counts.
  for (const pair of map.items) if (isMergeKey(pair)) merge(pair.value, entries, path, reading);
  return Object.fromEntries(entries);
}

/** Nothing of a file of others is shown. */
function repeatedKey(key: string, { ref }: Reading): string {
  return isOurs(ref.file)
    ? `the key ${JSON.stringify(key)} is already in this map`
    : 'a key is already in its map';
}

/** Adds the entries of a map or a list of maps that do not exist yet, with their templates. */
function merge(source: Node | null, entries: Map<string, Json>, path: Pointer, reading: Reading): void {
  if (isAlias(source)) {
    follow(source, path, reading, (target) => merge(target, entries, path, reading));
  } else if (isSeq(source)) {
    for (const item of source.items) merge(item as Node, entries, path, reading);
  } else if (isMap(source)) {
    const templates = new Map<Pointer, Template>();
    const merged = readMap(source as YAMLMap.Parsed, path, { ...reading, templates });
    const added = new Set<string>();
    for (const [key, value] of isObject(merged) ? Object.entries(merged) : []) {
      if (entries.has(key)) continue;
      entries.set(key, value);
      added.add(key);
    }
    const depth = parsePointer(path).length;
    for (const [pointer, template] of templates) {
      const key = parsePointer(pointer)[depth];
      if (key !== undefined && added.has(key)) reading.templates.set(pointer, template);
    }
  } else if (source !== null) {
    complain(reading, source, 'expected a map to merge', 'use an alias of a map, or a list of aliases');
  }
}

function readKey({ key }: Pair, path: Pointer, reading: Reading): string | undefined {
  if (!isScalar(key)) {
    complain(reading, key as Node, 'a key must be text', 'put quotes around text with braces: "{{…}}"', path);
    return undefined;
  }
  const written = typeof key.value === 'string' ? key.value : (key.source ?? String(key.value));
  const { placeholders } = reading;
  if ('keep' in placeholders) {
    if (!hasVariable(written)) return fillIn(written, NO_VARIABLES).text;
    report([placeholders.keep(path, 'key') ?? []].flat(), key, path, reading);
    return written;
  }
  const filled = fillIn(written, placeholders);
  report(filled.faults, key, path, reading);
  if (filled.variables.length === 0) return filled.text;
  report([exposedBy(filled.variables, placeholders)], key, path, reading);
  return written;
}

function readScalar(scalar: Scalar, path: Pointer, reading: Reading): Json {
  const { value } = scalar;
  if (typeof value === 'string')
    return value.includes('${') ? readTemplate(scalar, value, path, reading) : value;
  if (typeof value === 'number') return readNumber(scalar, value, reading);
  return typeof value === 'boolean' ? value : null;
}

function readNumber(scalar: Scalar, value: number, reading: Reading): Json {
  const source = scalar.source ?? '';
  const isAmbiguous = /^[-+]?0\d+$/.test(source);
  if (isAmbiguous || !isExact(value, source)) {
    tell(reading, {
      code: 'inexact-number',
      severity: 'error',
      message: isAmbiguous
        ? 'a number with a leading zero is octal in some YAML versions and decimal in others'
        : 'the number cannot be represented exactly in JSON',
      at: { file: reading.ref.file, offset: scalar.range?.[0] ?? 0 },
      hint: isAmbiguous
        ? 'remove the leading zero; or, if it is text, put quotes around it'
        : 'put quotes around it, or use a smaller number',
    });
  }
  return Number.isFinite(value) ? value : null;
}

function readTemplate(scalar: Scalar, text: string, path: Pointer, reading: Reading): Json {
  const { placeholders } = reading;
  const isPlain = scalar.type === Scalar.PLAIN;
  if ('keep' in placeholders) {
    if (!hasVariable(text)) return fillIn(text, NO_VARIABLES).text;
    const fault = placeholders.keep(path, 'value');
    if (fault === undefined) reading.templates.set(path, { ...asTemplate(text, isPlain), variables: [] });
    else report([fault], scalar, path, reading);
    return text;
  }
  const isShown = isAlwaysShown(path);
  const filled = fillIn(text, placeholders, isShown ? 'name' : 'value');
  const { variables: names, open } = filled;
  report(filled.faults, scalar, path, reading);
  if (isShown && names.length > 0) {
    report([exposedBy(names, placeholders)], scalar, path, reading);
    return text;
  }
  const template = asTemplate(text, isPlain);
  if (names.length > 0)
    reading.templates.set(path, {
      ...template,
      variables: names,
      ...(open.length === 0 ? {} : { open }),
    });
  return valueIn(filled, template);
}

function report(faults: readonly Fault[], node: Scalar, path: Pointer, reading: Reading): void {
  for (const { code, message, hint } of faults) {
    const at = { file: reading.ref.file, offset: node.range?.[0] ?? 0 };
    tell(reading, { code, severity: 'error', message, at, path, hint });
  }
}

function complain(
  reading: Reading,
  node: Node,
  message: string,
  hint = 'write the value out',
  path?: Pointer,
): void {
  const at = { file: reading.ref.file, offset: node.range?.[0] ?? 0 };
  const about = { code: 'invalid-yaml', severity: 'error', message, at, hint } as const;
  tell(reading, path === undefined ? about : { ...about, path });
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
