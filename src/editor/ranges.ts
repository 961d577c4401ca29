import type { Location, Position, Range, TextEdit } from 'vscode-languageserver-types';
import { memoize } from '../model/collect.ts';
import type { Place, SourceFile } from '../model/problem.ts';
import { fileOf, locate, rangeOf as spanOf } from '../schema/yaml/places.ts';
import { firstLine, lineIn, type Span } from '../schema/yaml/text-lines.ts';

/** The URI of a file of the project. */
export type UriOf = (path: string) => string;

/** The first line of a place. */
export function rangeOf(place: Place): Range {
  const start = spanOf(place).start.offset;
  return rangeBetween(fileOf(place), { from: start, to: start + locate(place).length });
}

/** All lines of a place. */
export function wholeRangeOf(place: Place): Range {
  const { start, end } = spanOf(place);
  return rangeBetween(fileOf(place), { from: start.offset, to: end.offset });
}

export function locationOf(place: Place, uriOf: UriOf): Location {
  return { uri: uriOf(fileOf(place).path), range: rangeOf(place) };
}

export function rangeBetween(file: SourceFile, { from, to }: Span): Range {
  return { start: positionIn(file, from), end: positionIn(file, to) };
}

/** The position of an offset as editors count, from zero. */
function positionIn(file: SourceFile, offset: number): Position {
  const starts = lineStarts(file);
  const line = lineIn(starts, offset);
  const hidden = line === 0 && offset > 0 ? firstLine(file.text) : 0; // editors do not count the byte order mark
  return { line, character: offset - (starts[line] ?? 0) - hidden };
}

/** The offset of a position; one behind the end of a line is its end. */
export function offsetAt(file: SourceFile, { line, character }: Position): number {
  const starts = lineStarts(file);
  const start = starts[line];
  if (start === undefined) return file.text.length;
  const hidden = line === 0 ? firstLine(file.text) : 0;
  const written = file.text.slice(start, starts[line + 1]);
  const ending = written.endsWith('\r\n') ? 2 : /[\r\n]$/.test(written) ? 1 : 0;
  return start + Math.min(hidden + character, written.length - ending);
}

/** Where lines start. For editors a carriage return alone ends one, too. */
const lineStarts = memoize(({ text }: SourceFile): readonly number[] => [
  0,
  ...Array.from(text.matchAll(/\r\n?|\n/g), ({ 0: ending, index }) => index + ending.length),
]);

/** The edit that makes one text of another: what is alike at both ends stays. None if they are the same. */
export function editTo(file: SourceFile, after: string): readonly TextEdit[] {
  const { text: before } = file;
  if (before === after) return [];
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < most - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  const range = rangeBetween(file, { from: start, to: before.length - end });
  return [{ range, newText: after.slice(start, after.length - end) }];
}

/** Whether two ranges have a position in common. */
export function overlap(one: Range, other: Range): boolean {
  return !isBefore(one.end, other.start) && !isBefore(other.end, one.start);
}

function isBefore(one: Range['start'], other: Range['start']): boolean {
  return one.line < other.line || (one.line === other.line && one.character < other.character);
}
