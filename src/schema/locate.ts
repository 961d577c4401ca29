import type { Frame, LocatedProblem, Place, Position, Problem } from '../model/problem.ts';
import { isSecretKey, isSecretText } from '../model/secrets.ts';
import { locate } from './yaml.ts';

/** Works out the places of problems and sorts by them; what has no place comes last. */
export function locateProblems(problems: readonly Problem[]): readonly LocatedProblem[] {
  return problems.map(locateProblem).sort(byPlace);
}

function locateProblem({ at, also, confidential, ...problem }: Problem): LocatedProblem {
  if (at === undefined) return problem;
  const { length, ...position } = locate(at);
  const frame = confidential === true ? undefined : frameOf(at, position, length);
  return {
    ...problem,
    at: position,
    ...(also === undefined ? {} : { also: positionOf(also) }),
    ...(frame === undefined ? {} : { frame }),
  };
}

function positionOf(place: Place): Position {
  const { file, line, column } = locate(place);
  return { file, line, column };
}

function byPlace({ at: one }: LocatedProblem, { at: other }: LocatedProblem): number {
  if (one === undefined || other === undefined)
    return Number(one === undefined) - Number(other === undefined);
  if (one.file !== other.file) return one.file < other.file ? -1 : 1;
  return one.line - other.line || one.column - other.column;
}

function frameOf(place: Place, { line, column }: Position, length: number): Frame | undefined {
  const file = 'document' in place ? place.document.file : place.file;
  const texts = file.text.split('\n', line).slice(line - 2 < 0 ? 0 : line - 2);
  const first = line - texts.length + 1;
  const onKey = 'document' in place && place.on === 'key';
  const lines = texts.map((text, index) => {
    const last = index === texts.length - 1;
    return {
      number: first + index,
      text: withoutSecret(text.replace(/\r$/, ''), last && onKey ? column - 1 + length : undefined),
    };
  });
  if (lines.at(-1)?.text.trim() === '') return undefined;
  return {
    lines: lines.filter(({ text }, index) => index === lines.length - 1 || text.trim() !== ''),
    column,
    length,
  };
}

/**
 * A line as it may be shown. A problem with a key needs no value behind it: an unknown key may be a misspelt secret's.
 * Behind a key that names a secret nothing is shown, on the line's first key as little as in a map on one line.
 */
function withoutSecret(text: string, end: number | undefined): string {
  const [, upToValue, key, value = ''] = /^(\s*(?:- )*["']?([^"':#{[]+?)["']?\s*:)(.*)$/.exec(text) ?? [];
  if (isSecretText(text) || text.includes('PRIVATE KEY')) return '…';
  if (upToValue === undefined || key === undefined || value.trim() === '') return hideInline(text);
  if (end !== undefined && end <= upToValue.length + 1) return `${upToValue} …`;
  return isSecretKey(key) ? `${upToValue} …` : upToValue + hideInline(value);
}

function hideInline(text: string): string {
  return text.replace(
    /(["']?([\w.-]+)["']?\s*:\s*)("[^"]*"|'[^']*'|[^,}\]]+)/g,
    (whole, head: string, key: string) => (isSecretKey(key) ? `${head}…` : whole),
  );
}
