import { isAlias, isCollection, isPair, isScalar, type Pair, visit, type Node } from 'yaml';
import { isBlank, isComment, lineEnd, linesAbove, linesFrom, lineStart, type Span } from './text-lines.ts';
import type { SourceFile } from '../../model/problem.ts';
import { syntaxOf } from './syntax.ts';

/** The start of the comments directly above a key. */
export function topOf(text: string, key: number, belongs = /^/): number {
  let top = key;
  for (const line of linesAbove(text, lineStart(text, key))) {
    if (!isComment(text, line) || !belongs.test(text.slice(line.from, line.to))) break;
    top = line.from;
  }
  return top;
}

/** The first offset from here on that is no blank of a line. */
export function skipSpaces(text: string, offset: number): number {
  let at = offset;
  while (text[at] === ' ' || text[at] === '\t') at += 1;
  return at;
}

/** The end of the last line of an entry, with the comment behind it. */
export function lastLineOf(text: string, entry: unknown): number {
  const end = endOf(entry);
  if (text[end - 1] !== '\n') return lineEnd(text, end);
  return text[end - 2] === '\r' ? end - 2 : end - 1; // a block scalar ends after its last line
}

/** The end of an entry with the comments below it that are indented more. */
export function withDeeperComments(text: string, end: number, column: number): number {
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

/** The start of the key. */
export function startOf({ key }: Pair): number {
  return (isScalar(key) || isCollection(key) || isAlias(key) ? key.range?.[0] : undefined) ?? -1;
}

/** The end of the content, without trailing comments and empty lines. */
export function endOf(node: unknown): number {
  if (isPair(node)) return Math.max(endOf(node.key), endOf(node.value));
  if (isCollection(node) && node.flow !== true && node.items.length > 0) return endOf(node.items.at(-1));
  return (isScalar(node) || isCollection(node) || isAlias(node) ? node.range?.[1] : undefined) ?? -1;
}

/** Whether the entry ends with text that keeps trailing empty lines: `|+`. */
export function keepsLastLines(text: string, node: unknown): boolean {
  if (isPair(node)) return keepsLastLines(text, node.value);
  if (isCollection(node)) return node.flow !== true && keepsLastLines(text, node.items.at(-1));
  const start = isScalar(node) ? node.range?.[0] : undefined;
  return start !== undefined && /^[|>]\d?\+/.test(text.slice(start, start + 3));
}

/** The documents of a file, and the maps, lists and texts of several lines in them, each from its key on. */
export function foldsOf(file: SourceFile): readonly Span[] {
  const found: Span[] = [];
  for (const document of syntaxOf(file)) {
    const { contents } = document;
    if (contents !== null) found.push({ from: contents.range[0], to: endOf(contents) });
    visit(document, {
      Pair(_, pair) {
        const value = pair.value as Node | null;
        const isBlock = isScalar(value) && value.type?.startsWith('BLOCK_') === true;
        if (isCollection(value) || isBlock) found.push({ from: startOf(pair), to: endOf(value) });
      },
      Seq(_, list) {
        for (const item of list.items)
          if (isCollection(item)) found.push({ from: item.range?.[0] ?? 0, to: endOf(item) });
      },
    });
  }
  return found;
}
