import { firstIndex, memoize } from '../../model/collect.ts';
import type { Position, SourceFile } from '../../model/problem.ts';

/** A range of a text; `to` is exclusive. */
export type Span = { readonly from: number; readonly to: number };

/** The start of the first line, after a byte order mark. */
export function firstLine(text: string): number {
  return text.startsWith('\uFEFF') ? 1 : 0;
}

export function lineStart(text: string, offset: number): number {
  return Math.max(firstLine(text), offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1);
}

/** The end of the line of an offset, before its line break. */
export function lineEnd(text: string, offset: number): number {
  const at = text.indexOf('\n', offset);
  const end = at === -1 ? text.length : at;
  return end > offset && text[end - 1] === '\r' ? end - 1 : end;
}

/** A line without its line break, and the start of the next one. */
type Line = Span & { readonly next: number };

/** The lines from the start of a line on. */
export function* linesFrom(text: string, offset: number, end = text.length): Generator<Line> {
  for (let from = offset; from < end;) {
    const to = lineEnd(text, from);
    const next = text.indexOf('\n', to) + 1 || text.length + 1;
    yield { from, to, next };
    from = next;
  }
}

/** The lines above the start of a line, nearest first. */
export function* linesAbove(text: string, offset: number): Generator<Span> {
  for (let behind = offset; behind > firstLine(text);) {
    const from = lineStart(text, behind - 1);
    yield { from, to: lineEnd(text, from) };
    behind = from;
  }
}

export function isBlank(text: string, { from, to }: Span): boolean {
  return text.slice(from, to).trim() === '';
}

export function isComment(text: string, { from, to }: Span): boolean {
  return /^[ \t]*#/.test(text.slice(from, to));
}

/** The position of an offset, one-based. */
export function positionAt(file: SourceFile, offset: number): Position {
  const starts = lineStarts(file);
  const line = lineIn(starts, offset);
  // Editors do not count the byte order mark.
  const hidden = line === 0 && offset > 0 && file.text.startsWith('\uFEFF') ? 1 : 0;
  return { file: file.path, line: line + 1, column: offset - (starts[line] ?? 0) + 1 - hidden };
}

/** The number of the line that an offset is in, from zero, by where lines start. */
export function lineIn(starts: readonly number[], offset: number): number {
  return firstIndex(starts, (start) => start > offset) - 1;
}

const lineStarts = memoize(({ text }: SourceFile): readonly number[] => {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
});
