import { structuredPatch } from 'diff';
import { forTerminal, onOneLine } from '../../report/escape.ts';
import type { Paint } from '../../report/paint.ts';
import type { FileChange } from '../../workflow/files/change-files.ts';

/** From so many changed lines on, a file is shown as replaced: the search for the fewest is quadratic in them. */
const MOST_LINES = 4000;

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
  const [old, now] = [mask(before?.text ?? ''), mask(after ?? '')].map((text) =>
    text.replaceAll('\r\n', '\n'),
  );
  const hunks =
    structuredPatch('', '', old ?? '', now ?? '', '', '', { context: 3, maxEditLength: MOST_LINES })?.hunks ??
    structuredPatch('', '', old ?? '', '', '', '', { context: 0 }).hunks;
  for (const { oldStart, oldLines, newStart, newLines, lines } of hunks) {
    yield `${paint.cyan(`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`)}\n`;
    for (const line of lines) yield `${paintLine(forTerminal(line), paint)}\n`;
  }
}

function paintLine(line: string, paint: Paint): string {
  if (line.startsWith('+')) return paint.green(line);
  return line.startsWith('-') ? paint.red(line) : line;
}
