import { isMap, isNode, isScalar, isSeq, type Document, type Node, type Pair, type Scalar } from 'yaml';
import { firstIndex, memoize } from '../../model/collect.ts';
import { changeAt, parsePointer, printPointer, type Json, type Pointer } from '../../model/json/json.ts';
import type { SourceFile } from '../../model/problem.ts';
import { isMergeKey, readDocuments } from './syntax.ts';
import { lineEnd, type Span } from './text-lines.ts';
import { treeOf } from './tree.ts';

/** What somebody writes at an offset of a file, also while the YAML around it is not complete. */
export type Typed = {
  readonly file: SourceFile;
  /** Where its document is. */
  readonly document: Span;
  /** The document, as far as it can be read. */
  readonly value: Json;
  /** The place of the key or the value. */
  readonly path: Pointer;
  readonly on: 'key' | 'value';
  /** The text of it, without quotes; empty where nothing is written yet. */
  readonly text: string;
  /** Where the text is. */
  readonly span: Span;
  /** The other keys of its map; undefined for a value. */
  readonly keys: readonly string[];
  /** Whether it is a value below its key, or an item of a list, which may become a map. */
  readonly mayBeKey: boolean;
  readonly hasColon: boolean;
  /** Whether it is in braces or brackets. */
  readonly isInFlow: boolean;
};

/** Stands where somebody writes, so that there is a value at this place: a character that nobody writes. */
const MARK = '\uE0C1';

/** What is written at an offset; undefined in a comment, between documents, or in text of several lines. */
export function typedAt(file: SourceFile, offset: number): Typed | undefined {
  // Between a colon and its blank nothing can be written: the key would go on.
  if (/^:(?:\s|$)/.test(file.text.slice(offset - 1, offset + 1))) return undefined;
  const document = documentAround(file, offset);
  const [before, after] = [file.text.slice(document.from, offset), file.text.slice(offset, document.to)];
  const found = findMark(`${before}${MARK}${after}`, before.length);
  // A key without its colon goes on in the line below, so it gets one.
  const mended = found?.isLong === true ? findMark(`${before}${MARK}:${after}`, before.length) : undefined;
  const best = mended === undefined || mended.isLong ? found : mended;
  if (best === undefined || best.isLong) return undefined;
  const { path, node, parsed, text, keys, isInFlow } = best;
  const [start, end] = node.range ?? [0, 0];
  const quote = /^["']/.test(text[start] ?? '') ? 1 : 0;
  const line = lineEnd(text, before.length);
  const closes = quote === 1 && text[end - 1] === text[start] && end - 1 > start ? 1 : 0;
  const from = document.from + start + quote;
  const to = Math.max(offset, document.from + Math.min(end - closes, line) - 1);
  const written = file.text.slice(from, to);
  const pointer = best.on === 'key' ? printPointer([...path.slice(0, -1), written]) : printPointer(path);
  const value = treeOf(parsed, text).value;
  return {
    ...{ file, document, path: pointer, on: best.on, text: written, span: { from, to }, keys, isInFlow },
    value: best.on === 'key' ? value : changeAt(value, path, withoutMark),
    mayBeKey: best.mayBeKey && quote === 0,
    hasColon: /^["']?[ \t]*:/.test(file.text.slice(to, to + 100)),
  };
}

function withoutMark(value: Json | undefined): Json | undefined {
  return typeof value === 'string' ? value.replace(MARK, '') : value;
}

/** The document at an offset: from its --- to the next. */
export function documentAround(file: SourceFile, offset: number): Span {
  const starts = startsOf(file);
  const next = firstIndex(starts, (start) => start + 3 >= offset);
  return { from: starts[next - 1] ?? 0, to: starts[next] ?? file.text.length };
}

const startsOf = memoize(({ text }: SourceFile): readonly number[] =>
  [...text.matchAll(/^---(?=[ \t\r\n]|$)/gm)].map(({ index }) => index),
);

type Found = {
  readonly path: readonly string[];
  readonly on: 'key' | 'value';
  readonly node: Scalar;
  readonly keys: readonly string[];
  readonly mayBeKey: boolean;
  readonly isInFlow: boolean;
};

/** The scalar with the mark; `isLong` is one of several lines. */
function findMark(
  text: string,
  at: number,
):
  | (Found & { readonly isLong: boolean; readonly parsed: Document.Parsed; readonly text: string })
  | undefined {
  const parsed = readDocuments(text).find(({ range: [from, , to] }) => from <= at && at < to);
  const found = parsed && descend(parsed.contents, { at, text, path: [], isBelow: true, isInFlow: false });
  if (parsed === undefined || found === undefined) return undefined;
  const [from, to] = found.node.range ?? [0, 0];
  return { ...found, parsed, text, isLong: isLong(text.slice(from, to), found.node) };
}

/** A quote that nobody has closed ends with its line, too. */
function isLong(written: string, { type }: Scalar): boolean {
  const [first = ''] = written.split('\n', 1);
  if (type === 'QUOTE_DOUBLE' || type === 'QUOTE_SINGLE') return !first.includes(MARK);
  return written.trimEnd().includes('\n') || type === 'BLOCK_LITERAL' || type === 'BLOCK_FOLDED';
}

type Descent = {
  readonly at: number;
  readonly text: string;
  readonly path: readonly string[];
  /** Whether the value stands on a line below its key. */
  readonly isBelow: boolean;
  readonly isInFlow: boolean;
};

function descend(node: unknown, descent: Descent): Found | undefined {
  const { at, path } = descent;
  if (!holds(node, at)) return undefined;
  if (isScalar(node)) {
    const { isBelow, isInFlow } = descent;
    return { path, on: 'value', node, keys: [], mayBeKey: isBelow && !isInFlow, isInFlow };
  }
  const inside = { ...descent, isInFlow: descent.isInFlow || (node as { flow?: boolean }).flow === true };
  if (isSeq(node)) {
    const index = node.items.findIndex((item) => holds(item, at));
    return index < 0
      ? undefined
      : descend(node.items[index], { ...inside, isBelow: true, path: [...path, String(index)] });
  }
  if (!isMap(node)) return undefined;
  for (const pair of node.items) {
    const found = inPair(pair, node.items, inside);
    if (found !== undefined) return found;
  }
  return undefined;
}

function inPair(pair: Pair, all: readonly Pair[], descent: Descent): Found | undefined {
  const { at, text, path, isInFlow } = descent;
  if (isMergeKey(pair) || !isScalar(pair.key)) return undefined;
  const { key, value } = pair;
  const inKey = [...path, String(key.source ?? key.value)];
  if (holds(key, at)) {
    const keys = all.flatMap((one) => (one !== pair && isScalar(one.key) ? [String(one.key.value)] : []));
    return { path: inKey, on: 'key', node: key, keys, mayBeKey: false, isInFlow };
  }
  const between = text.slice(key.range?.[1], (value as Node | null)?.range?.[0]);
  return descend(value, { ...descent, path: inKey, isBelow: between.includes('\n') });
}

function holds(node: unknown, at: number): boolean {
  const { range } = isNode(node) ? node : {};
  if (range === undefined || range === null) return false;
  return range[0] <= at && at < range[isScalar(node) ? 1 : 2]; // a comment behind a scalar ends at its third
}

/** The tokens of the map that has a key, or of a value itself. */
export function tokensAround({ path, on }: Pick<Typed, 'path' | 'on'>): readonly string[] {
  const tokens = parsePointer(path);
  return on === 'key' ? tokens.slice(0, -1) : tokens;
}
