import type { Range } from 'vscode-languageserver-types';
import type { Place } from '../model/problem.ts';
import { rangeOf } from '../schema/yaml/places.ts';

/** All lines of a place. */
export function wholeRangeOf(place: Place): Range {
  const { start, end } = rangeOf(place);
  return {
    start: { line: start.line - 1, character: start.column - 1 },
    end: { line: end.line - 1, character: end.column - 1 },
  };
}
