import type { Frame, LocatedProblem, Severity } from '../model/problem.ts';
import { forTerminal, onOneLine } from './escape.ts';
import type { Paint } from './paint.ts';

/** After this many of one code, a terminal shows a count; machines get all. */
const MOST_OF_A_CODE = 50;

/** Problems for people, each with its lines and its cure; empty for none. */
export function problemsText(problems: readonly LocatedProblem[], paint: Paint): string {
  const seen = new Map<string, number>();
  const shown = problems.filter(({ code, severity }) => {
    const count = (seen.get(code) ?? 0) + 1;
    seen.set(code, count);
    return severity === 'error' || count <= MOST_OF_A_CODE;
  });
  const left = [...seen].flatMap(([code, count]) => {
    const missing = count - shown.filter((problem) => problem.code === code).length;
    return missing === 0 ? [] : [`${missing} more of ${code}\n`];
  });
  return [...shown.map((problem) => problemText(problem, paint)), ...left].join('\n');
}

function problemText(
  { code, severity, message, at, also, hint, frame }: LocatedProblem,
  paint: Paint,
): string {
  const colour = colourOf(severity, paint);
  const margin = ' '.repeat(String(frame?.lines.at(-1)?.number ?? '').length);
  const lines = [
    `${colour(`${severity}[${code}]`)}${paint.bold(`: ${onOneLine(message)}`)}`,
    ...(at === undefined ? [] : [`${margin} ${paint.dim('-->')} ${placeText(at)}`]),
    ...(frame === undefined ? [] : frameLines(frame, margin, colour, paint)),
    ...(also === undefined ? [] : [`${margin} ${paint.dim('=')} the first is at ${placeText(also)}`]),
    ...(hint === undefined ? [] : [`${margin} ${paint.dim('=')} ${onOneLine(hint)}`]),
  ];
  return `${lines.join('\n')}\n`;
}

export function placeText({ file, line, column }: { file: string; line: number; column: number }): string {
  return `${onOneLine(file)}:${line}:${column}`;
}

function frameLines(
  { lines, column, length }: Frame,
  margin: string,
  colour: (text: string) => string,
  paint: Paint,
): readonly string[] {
  const bar = paint.dim('|');
  const last = lines.at(-1)?.text ?? '';
  const width = Math.max(1, Math.min(length, last.length - column + 1));
  return [
    `${margin} ${bar}`,
    ...lines.map(
      ({ number, text }) => `${String(number).padStart(margin.length)} ${bar} ${forTerminal(text)}`,
    ),
    `${margin} ${bar} ${' '.repeat(column - 1)}${colour('^'.repeat(width))}`,
  ];
}

function colourOf(severity: Severity, paint: Paint): (text: string) => string {
  return { error: paint.red, warning: paint.yellow, info: paint.cyan }[severity];
}
