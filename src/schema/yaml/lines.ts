import { memoize } from '../../model/collect.ts';
import type { Position, SourceFile } from '../../model/problem.ts';

/** The position of an offset, one-based. */
export function positionAt(file: SourceFile, offset: number): Position {
  const starts = lineStarts(file);
  let line = 0;
  for (let after = starts.length; after - line > 1;) {
    const middle = (line + after) >> 1;
    if ((starts[middle] ?? 0) <= offset) line = middle;
    else after = middle;
  }
  // Editors do not count the byte order mark.
  const hidden = line === 0 && offset > 0 && file.text.startsWith('\uFEFF') ? 1 : 0;
  return { file: file.path, line: line + 1, column: offset - (starts[line] ?? 0) + 1 - hidden };
}

const lineStarts = memoize(({ text }: SourceFile): readonly number[] => {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
});
