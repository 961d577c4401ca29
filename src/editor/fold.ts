import type { FoldingRange } from 'vscode-languageserver-types';
import type { SourceFile } from '../model/problem.ts';
import { foldsOf } from '../schema/yaml/folds.ts';
import { rangeBetween } from './ranges.ts';

/** What of a file can be folded: documents, maps, lists and texts of several lines. */
export function foldingOf(file: SourceFile): readonly FoldingRange[] {
  const found = new Map<string, FoldingRange>();
  for (const { from, to } of foldsOf(file)) {
    const { start, end } = rangeBetween(file, { from, to: file.text[to - 1] === '\n' ? to - 1 : to });
    const [startLine, endLine] = [start.line, end.line];
    if (endLine > startLine) found.set(`${startLine} ${endLine}`, { startLine, endLine });
  }
  return [...found.values()];
}
