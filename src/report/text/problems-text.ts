import { groupBy } from '../../model/collect.ts';
import type { Frame, LocatedProblem } from '../../model/problem.ts';
import { blocks, type Severity } from '../../model/problem-codes.ts';
import { forTerminal, formatPlace, onOneLine } from '../escape.ts';
import { type Paint, type TextOptions, wrap } from './layout.ts';
import { cutWithLength } from '../../model/text/list.ts';

/** Of more problems with one code, only the number is shown; reports for programs have them all. */
const MOST_OF_A_CODE: Readonly<Record<Severity, number>> = { error: 500, warning: 50, info: 50 };

/** Where variables are set: in a shell, in a job of GitHub, or in another job. */
export type VariablesIn = 'shell' | 'github' | 'job';

/**
 * Each problem with its place, the lines of the file, and its hint, for a terminal of this width; empty without problems. Of those
 * with one code and one cure, all but the first are a list of places, unless errors or risks differ in more than the object. Variables that are
 * not set are last, and below them what sets them.
 */
export function renderProblems(
  problems: readonly LocatedProblem[],
  paint: Paint,
  columns?: number,
  variablesIn: VariablesIn = 'shell',
): string {
  const terminal = { paint, width: columns };
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
  const alike = groupBy(shown, (problem) => {
    // Errors may differ in more than where they are.
    const { code, severity, hint = '' } = problem;
    return JSON.stringify([code, hint, severity === 'error' && whatIsSaid(problem)]);
  });
  const isUnset = ([{ variable }]: Alike): boolean => variable !== undefined;
  const ofVariables = [...alike.values()].filter(isUnset);
  const unset = new Set(ofVariables.flatMap(([{ variable }]) => variable ?? []));
  return [
    ...[...alike.values()].filter((group) => !isUnset(group)).map((group) => renderGroup(group, terminal)),
    ...(unset.size === 0
      ? []
      : [
          ofVariables.map((group) => renderUnset(group, terminal)).join(''),
          howToSet(
            [...unset],
            variablesIn,
            ofVariables.map(([{ hint = '' }]) => hint),
          ),
        ]),
    ...left,
  ].join('\n');
}

type Terminal = Pick<TextOptions, 'paint' | 'width'>;
type Alike = readonly [LocatedProblem, ...LocatedProblem[]];

/** What a problem says beside the object that it is about, and the call that is made for that. */
function whatIsSaid({ message, address }: LocatedProblem): string {
  return message.replaceAll(address ?? '', '').replace(/ (?:GET|PUT|DELETE) \/gateway\S+/, '');
}

/** The first as it is, the others by their places; by its message what has no place of its own, or is a risk of its own. */
function renderGroup([first, ...others]: Alike, terminal: Terminal): string {
  const places = new Set(['', placeOf(first)]);
  const placed: LocatedProblem[] = [];
  const told = new Set<string>();
  for (const one of others) {
    const [place, text] = [placeOf(one), onOneLine(cutWithLength(one.message, LONGEST_TEXT))];
    if (places.has(place)) {
      if (one.message !== first.message) told.add(`also: ${text}`);
    } else if (blocks(one.code) && whatIsSaid(one) !== whatIsSaid(first))
      told.add(`also at ${place}: ${text}`);
    else placed.push(one);
    places.add(place);
  }
  const below = [...listPlaces(placed).map((some) => `also at ${some}`), ...told];
  return [renderProblem(first, terminal), ...below.map((text) => renderBelow(text, terminal))].join('');
}

function placeOf({ at }: LocatedProblem): string {
  return at === undefined ? '' : formatPlace(at);
}

/** A line below a problem. */
function renderBelow(text: string, { paint, width }: Terminal): string {
  const [line = '', ...more] = wrap(`  = ${text}`, width, 4);
  return `${[`  ${paint.dim('=')}${line.slice(3)}`, ...more].join('\n')}\n`;
}

/** `a.yaml:1:2, 3:4`: a text for each file. */
function listPlaces(problems: readonly LocatedProblem[]): readonly string[] {
  const places = problems.flatMap(({ at }) => at ?? []);
  return [...groupBy(places, ({ file }) => file).values()].map(([first, ...others]) =>
    [formatPlace(first), ...others.map(({ line, column }) => `${line}:${column}`)].join(', '),
  );
}

/** The name tells more than the line, in which the value of a secret would be hidden. */
function renderUnset(group: Alike, { paint, width }: Terminal): string {
  const [{ code, severity, message }] = group;
  const head = `${severity}[${code}]`;
  const places = listPlaces(group).flatMap((text) => wrap(`  --> ${text}`, width, 6));
  const lines = [`${colourFor(severity, paint)(head)}: ${paint.bold(onOneLine(message))}`, ...places];
  return lines.map((line) => `${line.replace(/^  -->/, paint.dim('  -->'))}\n`).join('');
}

/** Lines to paste that set these variables. */
function howToSet(names: readonly string[], where: VariablesIn, hints: readonly string[]): string {
  const them = names.length === 1 ? 'it' : 'them';
  const lines = {
    shell: [`Set ${them}, then run this again:`, ...names.map((name) => `  export ${name}=…`)],
    github: [
      `Add ${them} to the step, from the secrets of the repository or its environment:`,
      '  env:',
      ...names.map((name) => `    ${name}: \${{ secrets.${name} }}`),
    ],
    job: [`Add ${them} to the variables of the job, masked:`, ...names.map((name) => `  ${name}`)],
  } satisfies Readonly<Record<VariablesIn, readonly string[]>>;
  // Not everywhere can a placeholder stand in place of a variable: the hint that offers most is told.
  const [, ...others] = [...hints].sort((one, other) => other.length - one.length)[0]?.split('; or ') ?? [];
  const other = others.length === 0 ? [] : [`Or ${others.join(', or ')}.`];
  return `${[...lines[where], ...other].join('\n')}\n`;
}

function renderProblem(
  { code, severity, message, at, also, hint, frame }: LocatedProblem,
  terminal: Terminal,
): string {
  const { paint, width } = terminal;
  const colour = colourFor(severity, paint);
  const head = `${severity}[${code}]`;
  const [first = '', ...more] = wrap(`${head}: ${onOneLine(cutWithLength(message, LONGEST_TEXT))}`, width, 2);
  const margin = ' '.repeat(String(frame?.lines.at(-1)?.number ?? '').length);
  const lines = [
    `${colour(head)}${paint.bold(first.slice(head.length))}`,
    ...more.map(paint.bold),
    ...(at === undefined ? [] : [`${margin} ${paint.dim('-->')} ${formatPlace(at)}`]),
    ...(frame === undefined ? [] : renderFrame(frame, margin, colour, paint)),
    ...(also === undefined ? [] : [`${margin} ${paint.dim('=')} see also ${formatPlace(also)}`]),
    ...(hint === undefined ? [] : renderHint(onOneLine(cutWithLength(hint, LONGEST_TEXT)), margin, terminal)),
  ];
  return `${lines.join('\n')}\n`;
}

/** Of a longer text, only the beginning is shown; a name or a key may be a whole file. */
const LONGEST_TEXT = 2_000;

function renderHint(hint: string, margin: string, { paint, width }: Terminal): readonly string[] {
  const mark = `${margin} = `;
  const [first = '', ...more] = wrap(`${mark}${hint}`, width, mark.length);
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
