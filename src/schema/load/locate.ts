import { memoize, present } from '../../model/collect.ts';
import {
  makeProblem,
  ACCEPTABLE,
  type Frame,
  type LocatedProblem,
  type Place,
  type Position,
  type Problem,
  type SourceFile,
} from '../../model/problem.ts';
import { isMisspelt } from '../../model/text/suggest.ts';
import { isSecretText, isSecretKey } from '../../model/secrets/secret-texts.ts';
import { isOurs } from '../yaml/ours.ts';
import { fileOf, locate, locateAll, rangeOf, type Range } from '../yaml/places.ts';

/** Adds positions to problems and sorts by them; problems without a place are last. */
export function locateProblems(problems: readonly Problem[]): readonly LocatedProblem[] {
  return inOrder(problems).map(locateProblem);
}

/** A problem with all of its place, as editors mark it. */
export type MarkedProblem = LocatedProblem & { readonly range?: Range };

/** The same problems, each with where its place begins and ends. */
export function markProblems(problems: readonly Problem[]): readonly MarkedProblem[] {
  return inOrder(problems).map((problem) => ({
    ...locateProblem(problem),
    ...(problem.at === undefined ? {} : { range: rangeOf(problem.at) }),
  }));
}

/** Those that no comment ignores, by their places. */
function inOrder(problems: readonly Problem[]): readonly Problem[] {
  locateAll(problems.flatMap(({ at, also }) => [at, also].filter((place) => place !== undefined)));
  return [...withoutIgnored(problems)].sort(byPlace);
}

/** Those that no comment ignores. */
export function withoutIgnored(problems: readonly Problem[]): readonly Problem[] {
  return problems.flatMap((problem) => {
    const isError = problem.severity === 'error';
    const comment = isError && !ACCEPTABLE.has(problem.code) ? undefined : ignoreAbove(problem);
    const left = isError || comment === undefined ? [problem] : [];
    return comment?.reason === '' ? [unexplained(problem, comment.at), ...left] : left;
  });
}

export type Ignore = {
  readonly code: string;
  readonly reason: string;
  readonly at: Extract<Place, { file: SourceFile }>;
};

/** The comment above a problem that ignores its code: `# gwconf-ignore CODE: reason`; one of several, if there are more. */
export function ignoreAbove({ code, at }: Pick<Problem, 'code' | 'at'>): Ignore | undefined {
  if (at === undefined) return undefined;
  const file = fileOf(at);
  if (!textOf(file).hasIgnores) return undefined;
  for (let line = locate(at).line - 2; ; line -= 1) {
    const found = ignoreOn(file, line);
    if (found === undefined || found.code === code) return found;
  }
}

/** The comments of a file that ignore problems. */
export function ignoresIn(file: SourceFile): readonly Ignore[] {
  const { lines, hasIgnores } = textOf(file);
  return hasIgnores ? lines.flatMap((_, at) => ignoreOn(file, at) ?? []) : [];
}

function ignoreOn(file: SourceFile, at: number): Ignore | undefined {
  const { lines, starts } = textOf(file);
  const line = lines[at] ?? '';
  const [, code, reason = ''] = /^\s*#\s*gwconf-ignore\s+([\w/-]+)(?:\s*:(.*))?$/.exec(line.trimEnd()) ?? [];
  // A gateway may have a text that looks like one, and export writes it as a block.
  if (code === undefined || blocksOf(file)[at] === true) return undefined;
  return { code, reason: reason.trim(), at: { file, offset: (starts[at] ?? 0) + line.indexOf('#') } };
}

type Text = {
  readonly lines: readonly string[];
  /** The offset of each line. */
  readonly starts: readonly number[];
  readonly hasIgnores: boolean;
};

/** For each line of a file, whether it is in a block scalar, whose first line ends in | or >. */
const blocksOf = memoize((file: SourceFile): readonly boolean[] => {
  const outer: { readonly depth: number; readonly holdsBlock: boolean }[] = [];
  return textOf(file).lines.map((line) => {
    const text = bare(line);
    const depth = text.length - text.trimStart().length;
    if (depth === text.length) return false;
    while ((outer.at(-1)?.depth ?? -1) >= depth) outer.pop();
    const isInBlock = outer.at(-1)?.holdsBlock === true;
    outer.push({ depth, holdsBlock: isInBlock || /[|>][-+\d]*\s*(?:#.*)?$/s.test(text) });
    return isInBlock;
  });
});

const textOf = memoize((file: SourceFile): Text => {
  const lines = file.text.split('\n');
  let end = 0;
  const starts = lines.map((line) => (end += line.length + 1) - line.length - 1);
  return { lines, starts, hasIgnores: file.text.includes('gwconf-ignore') };
});

/** A line without byte order mark and carriage return. */
function bare(line: string | undefined): string {
  return (line ?? '').replace(/^\uFEFF/, '').replace(/\r$/, '');
}

function unexplained({ code }: Problem, at: Place): Problem {
  return makeProblem({
    code: 'unexplained-ignore',
    message: `the comment ignores ${code} without a reason`,
    at,
    hint: `write # gwconf-ignore ${code}: REASON`,
  });
}

function locateProblem({
  at,
  also,
  confidential,
  maybe: _,
  extent: _e,
  ...problem
}: Problem): LocatedProblem {
  if (at === undefined) return problem;
  const { length, ...position } = locate(at);
  const frame = confidential === true ? undefined : frameOf(at, position, length);
  return {
    ...problem,
    at: position,
    ...present({ also: also && positionOf(also), frame }),
  };
}

export function positionOf(place: Place): Position {
  const { file, line, column } = locate(place);
  return { file, line, column };
}

function byPlace({ at: first }: Problem, { at: second }: Problem): number {
  if (first === undefined || second === undefined)
    return Number(first === undefined) - Number(second === undefined);
  const [one, other] = [locate(first), locate(second)];
  if (one.file !== other.file) return one.file < other.file ? -1 : 1;
  return one.line - other.line || one.column - other.column;
}

function frameOf(place: Place, { line, column }: Position, length: number): Frame | undefined {
  if (!isOurs(fileOf(place))) return undefined;
  const { lines } = textOf(fileOf(place));
  const meant = bare(lines[line - 1]);
  if (meant.trim() === '' || meant.length > LONGEST_LINE) return undefined;
  const [head = ''] = KEY_LINE.exec(meant) ?? [];
  const isBroken = !('document' in place);
  // In broken syntax, a line without a key, or text before the place, may be part of a secret.
  if (isBroken && head === '') return undefined;
  const readable = head === '' ? blankUpTo(meant, column - 1) : meant;
  const onKey = isBroken ? column < head.length && !SPOKEN_KEY.test(head) : place.on === 'key';
  const keyEnd = isBroken ? head.length - 1 : column - 1 + length;
  const shown = withoutSecret(onKey ? upToKey(readable, keyEnd) : readable);
  if (shown.length < column) return undefined; // the place is behind a secret
  const before = line < 2 ? undefined : contextOf(fileOf(place), line - 2);
  return {
    lines: [
      ...(before === undefined ? [] : [{ number: line - 1, text: before }]),
      { number: line, text: shown },
    ],
    column,
    length,
  };
}

/** Longer lines are not readable, and the search for secrets in them is slow. */
const LONGEST_LINE = 2000;

const KEY_LINE = /^\s*(?:- |[{[,]\s*)*["']?[\w./$@-]+["']?\s*:/;

function blankUpTo(text: string, end: number): string {
  return text.slice(0, end).replace(/[^\s,{}[\]-]/g, ' ') + text.slice(end);
}

// The value of an unknown key is hidden: the key may be the misspelt one of a secret.
function upToKey(text: string, end: number): string {
  const [colon] = /^\s*:/.exec(text.slice(end)) ?? [];
  const behind = end + (colon?.length ?? 0);
  return colon === undefined || text.slice(behind).trim() === '' ? text : `${text.slice(0, behind)} …`;
}

/**
 * The line at an index, unless it may be part of a secret value above. Its own key may be the misspelt one of a secret, so only
 * the values of common keys are shown.
 */
function contextOf(file: SourceFile, at: number): string | undefined {
  const text = bare(textOf(file).lines[at]);
  if (text.length > LONGEST_LINE || !KEY_LINE.test(text) || blocksOf(file)[at] === true) return undefined;
  const [head = ''] = KEY_LINE.exec(text) ?? [];
  const shown = withoutSecret(text);
  return SPOKEN_KEY.test(head) || shown.length < head.length ? shown : upToKey(shown, head.length - 1);
}

const SPOKEN_KEY =
  /^\s*(?:- )?["']?(?:apiVersion|kind|metadata|name|vCluster|pluginClass|priority)["']?\s*:$/;

/** Keys of secrets in configs; a misspelt one may have the secret as its value. */
const SECRET_KEYS = [
  'token',
  'password',
  'jwt',
  'secret',
  'secretId',
  'secretKey',
  'clientSecret',
  'sessionToken',
];

/** A line without the text after the first key of a secret. */
function withoutSecret(text: string): string {
  if (isSecretText(text) || text.includes('PRIVATE KEY')) return '…';
  for (const { 0: head, 1: key = '', index } of text.matchAll(/(?<![\w.-])([\w.-]+)["']?\s*:/g)) {
    const end = index + head.length;
    if ((isSecretKey(key) || isMisspelt(key, SECRET_KEYS)) && text.slice(end).trim() !== '')
      return `${text.slice(0, end)} …`;
  }
  return text;
}
