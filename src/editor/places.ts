import type { Position, Range } from 'vscode-languageserver-types';
import type { Place, SourceFile } from '../model/problem.ts';
import { rangeOf } from '../schema/yaml/places.ts';
import { positionAt, type Span } from '../schema/yaml/text-lines.ts';

/** A position as the protocol has it: from zero, where ours is from one. */
export function positionIn(file: SourceFile, offset: number): Position {
  const { line, column } = positionAt(file, offset);
  return { line: line - 1, character: column - 1 };
}

export function rangeIn(file: SourceFile, { from, to }: Span): Range {
  return { start: positionIn(file, from), end: positionIn(file, to) };
}

/** All of a place, as the protocol has it. */
export function rangeOfPlace(place: Place): Range {
  const { start, end } = rangeOf(place);
  return {
    start: { line: start.line - 1, character: start.column - 1 },
    end: { line: end.line - 1, character: end.column - 1 },
  };
}
