import type { Frame, LocatedProblem, Place, Position, Problem, SourceFile } from '../../model/problem.ts';
import { isSecretKey, isSecretText } from '../../model/secrets/secrets.ts';
import { fileOf, locate, locateAll } from '../yaml/places.ts';

/** Works out the places of problems and sorts by them; what has no place comes last. */
export function locateProblems(problems: readonly Problem[]): readonly LocatedProblem[] {
  locateAll(problems.flatMap(({ at, also }) => [at, also].filter((place) => place !== undefined)));
  const found = problems.flatMap((problem) => {
    const located = locateProblem(problem);
    const comment = problem.severity === 'error' ? undefined : ignoreAbove(problem);
    if (comment === undefined) return [located];
    return comment.reason === '' ? [locateProblem(unexplained(problem, comment.at))] : [];
  });
  return found.sort(byPlace);
}

type Ignore = { readonly reason: string; readonly at: Place };

/** The comment on the line above a problem that silences its code: `# gwconf-ignore CODE: reason`. */
function ignoreAbove({ code, at }: Problem): Ignore | undefined {
  if (at === undefined) return undefined;
  const file = fileOf(at);
  const { lines, starts, hasIgnores } = textOf(file);
  if (!hasIgnores) return undefined;
  const above = locate(at).line - 2;
  const line = lines[above] ?? '';
  const [, written, reason = ''] =
    /^\s*#\s*gwconf-ignore\s+([\w/-]+)(?:\s*:\s*(.*))?$/.exec(line.trimEnd()) ?? [];
  if (written !== code) return undefined;
  return { reason: reason.trim(), at: { file, offset: (starts[above] ?? 0) + line.indexOf('#') } };
}

type Text = {
  readonly lines: readonly string[];
  /** Where each line begins. */
  readonly starts: readonly number[];
  readonly hasIgnores: boolean;
};
const texts = new WeakMap<SourceFile, Text>();

/** A file line by line, taken apart once: there may be as many problems as lines. */
function textOf(file: SourceFile): Text {
  const known = texts.get(file);
  if (known !== undefined) return known;
  const lines = file.text.split('\n');
  let end = 0;
  const starts = lines.map((line) => (end += line.length + 1) - line.length - 1);
  const text = { lines, starts, hasIgnores: file.text.includes('gwconf-ignore') };
  texts.set(file, text);
  return text;
}

/** A line without what only the file needs: a byte order mark, half a line break. */
function bare(line: string | undefined): string {
  return (line ?? '').replace(/^\uFEFF/, '').replace(/\r$/, '');
}

function unexplained({ code }: Problem, at: Place): Problem {
  return {
    code: 'unexplained-ignore',
    severity: 'warning',
    message: `the comment silences ${code} and does not say why`,
    at,
    hint: `write # gwconf-ignore ${code}: and the reason`,
  };
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

/** Where a place is, for people. */
export function positionOf(place: Place): Position {
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
  const { lines } = textOf(fileOf(place));
  const meant = bare(lines[line - 1]);
  if (meant.trim() === '' || meant.length > LONGEST_LINE) return undefined;
  // Where the syntax is broken, a line without a key may be anything, and so may what stands before a place in it.
  if (!('document' in place) && !/^\s*[-{[]/.test(meant) && !KEY_LINE.test(meant)) return undefined;
  const readable = KEY_LINE.test(meant) ? meant : blankUpTo(meant, column - 1);
  const onKey = 'document' in place && place.on === 'key';
  const shown = withoutSecret(onKey ? upToKey(readable, column - 1 + length) : readable);
  if (shown.length < column) return undefined; // what is meant stands behind a secret
  const before = line < 2 ? undefined : contextOf(lines, line - 2);
  return {
    lines: [
      ...(before === undefined ? [] : [{ number: line - 1, text: before }]),
      { number: line, text: shown },
    ],
    column,
    length,
  };
}

/** A longer line is no help to an eye, and looking for secrets in it takes longer than anybody waits. */
const LONGEST_LINE = 2000;

const KEY_LINE = /^\s*(?:- |[{[,]\s*)*["']?[\w./$@-]+["']?\s*:/;

function blankUpTo(text: string, end: number): string {
  return text.slice(0, end).replace(/[^\s,{}[\]-]/g, ' ') + text.slice(end);
}

// A problem with a key needs no value behind it: an unknown key may be a misspelt secret's.
function upToKey(text: string, end: number): string {
  const [colon] = /^\s*:/.exec(text.slice(end)) ?? [];
  const behind = end + (colon?.length ?? 0);
  return colon === undefined || text.slice(behind).trim() === '' ? text : `${text.slice(0, behind)} …`;
}

/**
 * The line at an index, unless it may be a part of a value that the lines above call a secret. Its own key may be a
 * misspelt secret's, so that only what every resource says of itself is shown with its value.
 */
function contextOf(lines: readonly string[], at: number): string | undefined {
  const text = bare(lines[at]);
  if (text.length > LONGEST_LINE || !KEY_LINE.test(text) || isInBlock(lines, at)) return undefined;
  const [head = ''] = KEY_LINE.exec(text) ?? [];
  const shown = withoutSecret(text);
  return SPOKEN_KEY.test(head) || shown.length < head.length ? shown : upToKey(shown, head.length - 1);
}

const SPOKEN_KEY =
  /^\s*(?:- )?["']?(?:apiVersion|kind|metadata|name|vCluster|pluginClass|priority)["']?\s*:$/;

/** Whether the line at an index belongs to a text of many lines, whose first ends in | or >. */
function isInBlock(lines: readonly string[], at: number): boolean {
  let depth = depthOf(bare(lines[at]));
  for (let above = at - 1; above >= 0 && depth > 0; above -= 1) {
    const text = bare(lines[above]);
    if (text.trim() === '' || depthOf(text) >= depth) continue;
    if (/[|>][-+\d]*\s*(?:#.*)?$/.test(text)) return true;
    depth = depthOf(text);
  }
  return false;
}

function depthOf(text: string): number {
  return text.length - text.trimStart().length;
}

/** A line as it may be shown: nothing stands behind the first key that names a secret. */
function withoutSecret(text: string): string {
  if (isSecretText(text) || text.includes('PRIVATE KEY')) return '…';
  for (const { 0: head, 1: key = '', index } of text.matchAll(/([\w.-]+)["']?\s*:/g)) {
    const end = index + head.length;
    if (isSecretKey(key) && text.slice(end).trim() !== '') return `${text.slice(0, end)} …`;
  }
  return text;
}
