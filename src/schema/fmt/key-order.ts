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
import { isObject, joinPointer, type Json, type Pointer } from '../../model/json/json.ts';
import type { Part as ShapedPart } from '../../model/kind.ts';
import type { Form } from './document-order.ts';
import { fieldOf, fieldsOf, itemOf } from '../fields.ts';
import {
  isBlank,
  isComment,
  lineEnd,
  linesAbove,
  linesFrom,
  lineStart,
  moveParts,
  orderBy,
  type Move,
  type Part,
  type Span,
} from './rearrange.ts';

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
    const properties = { apiVersion: {}, kind: {}, overlay: {}, protect: {}, ...form.schema };
    const part = 'part' in form && isObject(value) ? form.part(value) : undefined;
    return movesIn(contents, { properties }, '', {
      text,
      part,
      hasAliases: namesIn(contents).aliases.length > 0,
    });
  };
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

function isMergeKey({ key }: Pair): boolean {
  return isScalar(key) && typeof key.value === 'symbol';
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

/** The start of the comments directly above a key. */
function topOf(text: string, key: number, belongs: RegExp): number {
  let top = key;
  for (const line of linesAbove(text, lineStart(text, key))) {
    if (!isComment(text, line) || !belongs.test(text.slice(line.from, line.to))) break;
    top = line.from;
  }
  return top;
}

/** The start of an entry after empty lines: its comments, or its key. */
function belowGap(text: string, end: number, key: number): number {
  const next = text.indexOf('\n', end) + 1;
  for (const line of linesFrom(text, next, key)) if (!isBlank(text, line)) return line.from;
  return key;
}

function skipSpaces(text: string, offset: number): number {
  let at = offset;
  while (text[at] === ' ' || text[at] === '\t') at += 1;
  return at;
}

function lastLineOf(text: string, pair: Pair): number {
  const end = endOf(pair);
  if (text[end - 1] !== '\n') return lineEnd(text, end);
  return text[end - 2] === '\r' ? end - 2 : end - 1; // a block scalar ends after its last line
}

function withDeeperComments(text: string, end: number, column: number): number {
  let last = end;
  const next = text.indexOf('\n', end) + 1;
  if (next === 0) return last;
  for (const line of linesFrom(text, next)) {
    if (isBlank(text, line)) continue;
    if (!isComment(text, line) || skipSpaces(text, line.from) - line.from <= column) break;
    last = line.to;
  }
  return last;
}

function startOf({ key }: Pair): number {
  return (isScalar(key) || isCollection(key) || isAlias(key) ? key.range?.[0] : undefined) ?? -1;
}

/** The end of the content, without trailing comments and empty lines. */
function endOf(node: unknown): number {
  if (isPair(node)) return Math.max(endOf(node.key), endOf(node.value));
  if (isCollection(node) && node.flow !== true && node.items.length > 0) return endOf(node.items.at(-1));
  return (isScalar(node) || isCollection(node) || isAlias(node) ? node.range?.[1] : undefined) ?? -1;
}

/** Whether the entry ends with text that keeps trailing empty lines: `|+`. */
function keepsLastLines(text: string, node: unknown): boolean {
  if (isPair(node)) return keepsLastLines(text, node.value);
  if (isCollection(node)) return node.flow !== true && keepsLastLines(text, node.items.at(-1));
  const start = isScalar(node) ? node.range?.[0] : undefined;
  return start !== undefined && /^[|>]\d?\+/.test(text.slice(start, start + 3));
}
