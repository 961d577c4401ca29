import type { Location, Range, TextEdit } from 'vscode-languageserver-types';
import type { Place, SourceFile } from '../model/problem.ts';
import { fileOf, locate, rangeOf as spanOf } from '../schema/yaml/places.ts';
import { positionAt, type Span } from '../schema/yaml/text-lines.ts';

/** The URI of a file of the project. */
export type UriOf = (path: string) => string;

/** The first line of a place. */
export function rangeOf(place: Place): Range {
  const { line, column, length } = locate(place);
  const start = { line: line - 1, character: column - 1 };
  return { start, end: { line: start.line, character: start.character + length } };
}

/** All lines of a place. */
export function wholeRangeOf(place: Place): Range {
  const { start, end } = spanOf(place);
  return {
    start: { line: start.line - 1, character: start.column - 1 },
    end: { line: end.line - 1, character: end.column - 1 },
  };
}

export function locationOf(place: Place, uriOf: UriOf): Location {
  return { uri: uriOf(fileOf(place).path), range: rangeOf(place) };
}

export function rangeBetween(file: SourceFile, { from, to }: Span): Range {
  const pointAt = (offset: number): Range['start'] => {
    const { line, column } = positionAt(file, offset);
    return { line: line - 1, character: column - 1 };
  };
  return { start: pointAt(from), end: pointAt(to) };
}

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
