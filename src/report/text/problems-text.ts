import { groupBy } from '../../model/collect.ts';
import type { Frame, LocatedProblem } from '../../model/problem.ts';
import type { Severity } from '../../model/problem-codes.ts';
import { forTerminal, formatPlace, onOneLine } from '../escape.ts';
import { type Paint, wrap } from './layout.ts';

/** Of more problems with one code, only the number is shown; reports for programs have them all. */
const MOST_OF_A_CODE: Readonly<Record<Severity, number>> = { error: 500, warning: 50, info: 10 };

/**
 * Each problem with its place, the lines of the file, and its hint, for a terminal of this width; empty without problems. Of warnings and
 * notes with one code and one cure, and of errors that say the same, all but the first are a line each.
 */
export function renderProblems(problems: readonly LocatedProblem[], paint: Paint, columns?: number): string {
  const seen = new Map<string, number>();
  const shown = problems.filter(({ code, severity }) => {
    const count = (seen.get(code) ?? 0) + 1;
    seen.set(code, count);
    return count <= MOST_OF_A_CODE[severity];
  });
  const left = [...seen].flatMap(([code, count]) => {
    const missing = count - shown.filter((problem) => problem.code === code).length;
    return missing === 0 ? [] : [`${missing} more of ${code}\n`];
  });
  const alike = groupBy(shown, ({ code, severity, message, hint = '' }) =>
    severity === 'error' ? JSON.stringify([code, message, hint]) : `${code} ${hint}`,
  );
  const groups = [...alike.values()].map(([first, ...others]) =>
    [
      renderProblem(first, paint, columns),
      ...others.map((one) => renderAlike(one, first, paint, columns)),
    ].join(''),
  );
  return [...groups, ...left].join('\n');
}

/** A problem as a line below another one with its code and its cure. */
function renderAlike(
  { message, at }: LocatedProblem,
  first: LocatedProblem,
  paint: Paint,
  columns: number | undefined,
): string {
  const place = at === undefined ? '' : ` at ${formatPlace(at)}`;
  const words = message === first.message ? '' : `: ${onOneLine(shorten(message))}`;
  const [line = '', ...more] = wrap(`  = also${place}${words}`, columns, 4);
  return `${[`  ${paint.dim('=')}${line.slice(3)}`, ...more].join('\n')}\n`;
}

function renderProblem(
  { code, severity, message, at, also, hint, frame }: LocatedProblem,
  paint: Paint,
  columns: number | undefined,
): string {
  const colour = colourFor(severity, paint);
  const head = `${severity}[${code}]`;
  const [first = '', ...more] = wrap(`${head}: ${onOneLine(shorten(message))}`, columns, 2);
  const margin = ' '.repeat(String(frame?.lines.at(-1)?.number ?? '').length);
  const lines = [
    `${colour(head)}${paint.bold(first.slice(head.length))}`,
    ...more.map(paint.bold),
    ...(at === undefined ? [] : [`${margin} ${paint.dim('-->')} ${formatPlace(at)}`]),
    ...(frame === undefined ? [] : renderFrame(frame, margin, colour, paint)),
    ...(also === undefined ? [] : [`${margin} ${paint.dim('=')} see also ${formatPlace(also)}`]),
    ...(hint === undefined ? [] : renderHint(onOneLine(shorten(hint)), margin, paint, columns)),
  ];
  return `${lines.join('\n')}\n`;
}

/** Of a longer text, only the beginning is shown; a name or a key may be a whole file. */
const LONGEST_TEXT = 2_000;

function shorten(text: string): string {
  return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}… (${text.length} characters)` : text;
}

function renderHint(
  hint: string,
  margin: string,
  paint: Paint,
  columns: number | undefined,
): readonly string[] {
  const mark = `${margin} = `;
  const [first = '', ...more] = wrap(`${mark}${hint}`, columns, mark.length);
  return [`${margin} ${paint.dim('=')} ${first.slice(mark.length)}`, ...more];
}

/** Of a longer line, only the part around the problem is shown. */
const WIDEST = 120;

function renderFrame(
  { lines, column, length }: Frame,
  margin: string,
  colour: (text: string) => string,
  paint: Paint,
): readonly string[] {
  const bar = paint.dim('|');
  const last = lines.at(-1)?.text ?? '';
  const from = last.length <= WIDEST ? 0 : Math.max(0, column - 1 - WIDEST / 2);
  const cut = (text: string): string => {
    const part = text.slice(from, from + WIDEST);
    return `${from > 0 && text.length > from ? '…' : ''}${part}${text.length > from + WIDEST ? '…' : ''}`;
  };
  const indent = column - 1 - from + (from > 0 ? 1 : 0);
  const width = Math.max(1, Math.min(length, last.length - column + 1, WIDEST - indent));
  return [
    `${margin} ${bar}`,
    ...lines
      .filter(({ text }) => cut(text).trim() !== '')
      .map(
        ({ number, text }) => `${String(number).padStart(margin.length)} ${bar} ${forTerminal(cut(text))}`,
      ),
    `${margin} ${bar} ${' '.repeat(indent)}${colour('^'.repeat(width))}`,
  ];
}

function colourFor(severity: Severity, paint: Paint): (text: string) => string {
  return { error: paint.red, warning: paint.yellow, info: paint.cyan }[severity];
}
