import { forTerminal, onOneLine } from '../../report/escape.ts';
import type { Paint } from '../../report/paint.ts';
import type { FileChange } from '../../workflow/files/change-files.ts';
import { diffTexts } from './line-diff.ts';

/** A change of a file as a unified diff, without what `mask` hides. */
export function* renderFileDiff(
  { path, before, after }: FileChange,
  paint: Paint,
  mask: (text: string) => string,
): Generator<string> {
  const name = onOneLine(path);
  const [from, to] = [
    before === undefined ? '/dev/null' : `a/${name}`,
    after === undefined ? '/dev/null' : `b/${name}`,
  ];
  yield `${paint.bold(`--- ${from}`)}\n${paint.bold(`+++ ${to}`)}\n`;
  const hunks = diffTexts(mask(before?.text ?? ''), mask(after ?? ''));
  for (const { oldStart, oldLines, newStart, newLines, lines } of hunks) {
    yield `${paint.cyan(`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`)}\n`;
    for (const line of lines) yield `${paintLine(forTerminal(line), paint)}\n`;
  }
}

function paintLine(line: string, paint: Paint): string {
  if (line.startsWith('+')) return paint.green(line);
  return line.startsWith('-') ? paint.red(line) : line;
}
