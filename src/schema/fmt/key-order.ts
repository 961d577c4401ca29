import {
  isAlias,
  isCollection,
  isMap,
  isPair,
  isScalar,
  isSeq,
  parseAllDocuments,
  visit,
  type Node,
  type Pair,
  type YAMLMap,
} from 'yaml';
import {
  isList,
  isObject,
  joinPointer,
  parsePointer,
  valueAt,
  type Json,
  type JsonObject,
  type Pointer,
} from '../../model/json/json.ts';
import type { Part as ShapedPart } from '../../model/kind.ts';
import { type Form, moveParts, orderBy, type Move, type Part } from './document-order.ts';
import { fieldOf, fieldsOf, itemOf } from '../fields.ts';
import {
  endOf,
  keepsLastLines,
  lastLineOf,
  skipSpaces,
  startOf,
  topOf,
  withDeeperComments,
} from '../yaml/extent.ts';
import { isBlank, linesFrom, lineStart, type Span } from '../yaml/text-lines.ts';
import { isMergeKey } from '../yaml/syntax.ts';

/** A function that returns the moves that sort the keys of a document, given by number, into the order of its form. */
export function keyMoves(text: string): (index: number, form: Form, value: Json) => readonly Move[] {
  const parsed = parseAllDocuments(text, {
    merge: true,
    prettyErrors: false,
    uniqueKeys: false, // the search for them is quadratic
    logLevel: 'silent',
  });
  const documents = 'empty' in parsed ? [] : parsed;
  return (index, form, value) => {
    const contents = documents[index]?.contents ?? undefined;
    if (contents === undefined) return [];
    const hasAliases = namesIn(contents).aliases.length > 0;
    return movesIn(contents, documentShape(form), '', { text, part: partOf(form, value), hasAliases });
  };
}

/** The known keys of a map of a document, in canonical order. */
export function keysAt(form: Form, value: Json, path: Pointer): readonly string[] {
  const part = partOf(form, value);
  let shape: Json | undefined = documentShape(form);
  let at: Pointer = '';
  for (const token of parsePointer(path)) {
    shape = isList(valueAt(value, at)) ? itemOf(shape) : fieldOf(shape, token);
    at = joinPointer(at, token);
    if (part?.path === at) shape = part.schema;
  }
  return [...fieldsOf(shape).keys()];
}

function documentShape({ schema }: Form): JsonObject {
  return { properties: { apiVersion: {}, kind: {}, overlay: {}, protect: {}, ...schema } };
}

function partOf(form: Form, value: Json): ShapedPart | undefined {
  return 'part' in form && isObject(value) ? form.part(value) : undefined;
}

type Ordering = {
  readonly text: string;
  /** The part whose schema depends on another field. */
  readonly part: ShapedPart | undefined;
  readonly hasAliases: boolean;
};
type Entry = { readonly pair: Pair; readonly rank: number };

// Merge keys first, unknown keys last in their order, and no alias before its anchor.
function movesIn(
  node: unknown,
  schema: Json | undefined,
  path: Pointer,
  ordering: Ordering,
): readonly Move[] {
  const { text, part, hasAliases } = ordering;
  const shape = part !== undefined && part.path === path ? part.schema : schema;
  if (isSeq(node)) {
    const item = itemOf(shape);
    return node.items.flatMap((child, at) => movesIn(child, item, joinPointer(path, at), ordering));
  }
  if (!isMap(node)) return [];
  const known = new Map([...fieldsOf(shape).keys()].map((key, at) => [key, at]));
  const entries = node.items.map((pair): Entry => {
    return { pair, rank: isMergeKey(pair) ? -1 : (known.get(keyOf(pair)) ?? known.size) };
  });
  const inside = node.items.map((pair) => {
    const key = keyOf(pair);
    return movesIn(pair.value, fieldOf(shape, key), joinPointer(path, key), ordering);
  });
  const order = orderBy(
    entries,
    (one, other) => one.rank - other.rank,
    hasAliases ? needs(entries) : undefined,
  );
  const inOrder = order.every((index, position) => index === position);
  const layout = inOrder
    ? undefined
    : node.flow === true
      ? flowLayout(text, node)
      : blockLayout(text, node, path);
  if (layout === undefined) return inside.flat();
  const parts = layout.spans.map((span, index): Part => ({ ...span, moves: inside[index] ?? [] }));
  return moveParts(parts, layout.gaps, layout.from, order);
}

function keyOf({ key }: Pair): string {
  return isScalar(key) ? String(key.value) : '';
}

/** For each entry, the entries with an anchor of its aliases. */
function needs(entries: readonly Entry[]): (entry: Entry) => readonly Entry[] {
  const home = new Map<string, Entry>();
  const names = new Map(entries.map((entry) => [entry, namesIn(entry.pair)]));
  for (const [entry, { anchors }] of names) for (const anchor of anchors) home.set(anchor, entry);
  return (entry) =>
    (names.get(entry)?.aliases ?? []).flatMap((alias) => {
      const found = home.get(alias);
      return found === undefined || found === entry ? [] : [found];
    });
}

function namesIn(root: Node | Pair): {
  readonly anchors: readonly string[];
  readonly aliases: readonly string[];
} {
  const anchors: string[] = [];
  const aliases: string[] = [];
  const note = (_: unknown, node: unknown): void => {
    if (isAlias(node)) aliases.push(node.source);
    else if ((isScalar(node) || isCollection(node)) && node.anchor !== undefined) anchors.push(node.anchor);
  };
  if (isPair(root)) {
    for (const node of [root.key, root.value]) if (node !== null) visit(node as Node, note);
  } else {
    visit(root, note);
  }
  return { anchors, aliases };
}

/** The places of the entries of a map, and the text before each; undefined for a map that cannot be sorted safely. */
type Layout = { readonly from: number; readonly spans: readonly Span[]; readonly gaps: readonly string[] };

// { a: 1, b: 2 }
function flowLayout(text: string, map: YAMLMap): Layout | undefined {
  const spans = map.items.map((pair): Span => ({ from: startOf(pair), to: endOf(pair) }));
  const gaps = spans.map(({ from }, index) => text.slice(spans[index - 1]?.to ?? from, from));
  const first = spans[0]?.from ?? 0;
  const opening = text.slice(map.range?.[0], first);
  const plain = /^\{\s*$/.test(opening) && gaps.slice(1).every((gap) => /^\s*,\s*$/.test(gap));
  return plain ? { from: first, spans, gaps } : undefined;
}

/*
 *   # about a          goes with a
 *   a: 1   # why       goes with a
 *     # b: 2           indented more than a: goes with a
 *                      empty lines stay where they are
 *   c: 3
 */
function blockLayout(text: string, map: YAMLMap, path: Pointer): Layout | undefined {
  const starts = map.items.map(startOf);
  const leads = starts.map((start) => text.slice(lineStart(text, start), start));
  const [first = 0] = starts;
  const [lead = ''] = leads;
  // Unusual layouts, such as a key with an anchor, an explicit key, or a key after a tab.
  if (!/^ *(?:- +)*$/.test(lead) || leads.slice(1).some((before) => !/^ *$/.test(before))) return undefined;
  if (starts.includes(-1) || map.items.some((pair) => keepsLastLines(text, pair))) return undefined;

  const column = lead.length;
  const indent = ' '.repeat(column);
  const isItem = lead.includes('-');
  const top = isItem ? first : topOf(text, first, path === '' ? IGNORE : /^/);
  const from = isItem ? first : lineStart(text, top);
  const spans: Span[] = [];
  const gaps: string[] = [];
  for (const [index, pair] of map.items.entries()) {
    const before = spans.at(-1);
    const start = before === undefined ? top : belowGap(text, before.to, starts[index] ?? first);
    const gap = before === undefined ? '' : text.slice(before.to, lineStart(text, start));
    const to = withDeeperComments(text, lastLineOf(text, pair), column);
    gaps.push(before === undefined && isItem ? '' : gap + indent);
    spans.push({ from: skipSpaces(text, start), to });
  }
  return { from, spans, gaps };
}

// A comment above the first key is about the document, unless it ignores a problem of that key.
const IGNORE = /^\s*#\s*gwconf-ignore\b/;

/** The start of an entry after empty lines: its comments, or its key. */
function belowGap(text: string, end: number, key: number): number {
  const next = text.indexOf('\n', end) + 1;
  for (const line of linesFrom(text, next, key)) if (!isBlank(text, line)) return line.from;
  return key;
}
