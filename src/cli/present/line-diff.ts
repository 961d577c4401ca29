import { diffArrays } from 'diff';
import { longestAscending, type Match } from '../../declare/edit/edits-between.ts';
import { forTerminal, onOneLine } from '../../report/escape.ts';
import type { Paint } from '../../report/text/layout.ts';
import type { FileChange } from '../../workflow/files/change-files.ts';

/** Lines that were and will be next to each other, with those around them. */
type Hunk = {
  /** One-based; 0 if there are no lines. */
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  /** Each with a blank, `-` or `+` before it. */
  readonly lines: readonly string[];
};

/** The differences of two texts. Lines that both have only once divide them, so long texts take no longer than their lines. */
export function diffTexts(before: string, after: string): readonly Hunk[] {
  const [old, now] = [linesOf(before), linesOf(after)];
  const lines: string[] = [];
  let from = 0;
  let to = 0;
  for (const next of [...findAnchors(old, now), { from: old.length, to: now.length }]) {
    for (const line of diffGap(old.slice(from, next.from), now.slice(to, next.to))) lines.push(line);
    if (next.from < old.length) lines.push(` ${old[next.from] ?? ''}`);
    from = next.from + 1;
    to = next.to + 1;
  }
  return hunksOf(lines);
}

/** A last line without a line break is another one than with it. */
function linesOf(text: string): readonly string[] {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  const last = lines.pop() ?? '';
  return last === '' ? lines : [...lines, `${last}\n\\ No newline at end of file`];
}

function findAnchors(old: readonly string[], now: readonly string[]): readonly Match[] {
  const [places, others] = [singles(old), singles(now)];
  const common = [...others].flatMap(([line, to]): Match[] => {
    const from = places.get(line);
    return from === undefined ? [] : [{ from, to }];
  });
  return longestAscending(common);
}

/** The lines that are there once, with their places, in order. */
function singles(lines: readonly string[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  const repeated = new Set<string>();
  for (const [at, line] of lines.entries()) {
    if (places.has(line)) repeated.add(line);
    places.set(line, at);
  }
  for (const line of repeated) places.delete(line);
  return places;
}

/** From so many changed lines on, a part without common lines is shown as replaced: the search is quadratic in them. */
const MOST_LINES = 1000;

function diffGap(old: readonly string[], now: readonly string[]): readonly string[] {
  const found = diffArrays([...old], [...now], { maxEditLength: MOST_LINES });
  if (found === undefined) return [...old.map((line) => `-${line}`), ...now.map((line) => `+${line}`)];
  return found.flatMap(({ added, removed, value }) => {
    const sign = added ? '+' : removed ? '-' : ' ';
    return value.map((line) => sign + line);
  });
}

const CONTEXT = 3;

function hunksOf(lines: readonly string[]): readonly Hunk[] {
  const changed = [...lines.keys()].filter((at) => lines[at]?.startsWith(' ') === false);
  const hunks: Hunk[] = [];
  let oldLine = 1;
  let newLine = 1;
  let at = 0;
  const count = (sign: string, part: readonly string[]): number =>
    part.filter((line) => !line.startsWith(sign)).length;
  for (let first = 0; first < changed.length;) {
    let last = first;
    while ((changed[last + 1] ?? Infinity) - (changed[last] ?? 0) <= 2 * CONTEXT) last += 1;
    const from = Math.max(at, (changed[first] ?? 0) - CONTEXT);
    const to = Math.min(lines.length, (changed[last] ?? 0) + CONTEXT + 1);
    const skipped = lines.slice(at, from);
    oldLine += skipped.length;
    newLine += skipped.length;
    const part = lines.slice(from, to);
    const [oldLines, newLines] = [count('+', part), count('-', part)];
    hunks.push({
      oldStart: oldLines === 0 ? oldLine - 1 : oldLine,
      oldLines,
      newStart: newLines === 0 ? newLine - 1 : newLine,
      newLines,
      lines: part,
    });
    oldLine += oldLines;
    newLine += newLines;
    at = to;
    first = last + 1;
  }
  return hunks;
}

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
