import type { Pointer } from './json/json.ts';
import { blocks, meaningOf, type ProblemCode, type Severity } from './problem-codes.ts';
import type { Address } from './resource.ts';

export type SourceFile = {
  readonly path: string;
  readonly text: string;
  /** Whether the file was named; a file that was found in a folder may contain no resources. */
  readonly named?: boolean;
  /** Files of a later layer can overlay those of an earlier one. Default: 0. */
  readonly layer?: number;
};
/** A document of a file: its number from 0, including empty ones, and the offset of its content. */
export type DocumentRef = { readonly file: SourceFile; readonly index: number; readonly offset: number };
/** One-based, as editors count. */
export type Position = { readonly file: string; readonly line: number; readonly column: number };

/** A place in a file; its Position is computed only when needed. */
export type Place =
  | { readonly document: DocumentRef; readonly path: Pointer; readonly on: 'key' | 'value' }
  | { readonly file: SourceFile; readonly offset: number };

/** A problem of the user's input: a value, never thrown. */
export type Problem = {
  readonly code: ProblemCode;
  readonly severity: Severity;
  /** One clause without a full stop. */
  readonly message: string;
  readonly at?: Place;
  /** The earlier of two places. */
  readonly also?: Place;
  readonly address?: Address;
  readonly path?: Pointer;
  /** How to fix it, an imperative. */
  readonly hint?: string | undefined;
  /** What belongs at its place, where one text is likely to be right; never anything of a hidden value. */
  readonly instead?: string | undefined;
  /** What may have been meant at its place, where something else may be the cure; never anything of a hidden value. */
  readonly maybe?: string | undefined;
  /** The environment variable that is not set, if that is all that is wrong. */
  readonly variable?: string;
  /** Whether there is a secret at the place, whose line must not be shown. */
  readonly confidential?: true;
  /** The base of the branch has it, too. */
  readonly inBase?: true;
  /** Of what a message counts or lists: all of it, so that a problem can be compared with one of more or less. */
  readonly extent?: { readonly of: string; readonly each: readonly string[] };
};

/** A problem as grave as its code usually is. */
export function makeProblem(said: Omit<Problem, 'severity'>): Problem {
  return judge(said);
}

/** Adds the severity that the code usually has, if there is none. */
export function judge<P extends Unjudged>(said: P): Judged<P> {
  return { ...said, severity: said.severity ?? meaningOf(said.code)?.severity ?? 'error' };
}
type Unjudged = { readonly code: ProblemCode; readonly severity?: Severity };
export type Judged<P> = P & { readonly severity: Severity };

/** A problem with positions, for renderers. */
export type LocatedProblem = Omit<Problem, 'at' | 'also' | 'confidential' | 'maybe' | 'extent'> & {
  readonly at?: Position;
  readonly also?: Position;
  /** The lines to show, without secrets; the last is that of the problem. */
  readonly frame?: Frame;
};
export type Frame = {
  readonly lines: readonly { readonly number: number; readonly text: string }[];
  /** One-based, in the last line. */
  readonly column: number;
  readonly length: number;
};

/** A hint at the one name that was probably meant; what else to do where none is near. */
export function didYouMean(near: string | undefined, otherwise: string): Cure {
  return near === undefined ? { hint: otherwise } : { hint: `did you mean ${near}?`, instead: near };
}
export type Cure = { readonly hint: string; readonly instead?: string };

/** Each stage returns the best possible value and all problems. */
export type Checked<T> = { readonly value: T; readonly problems: readonly Problem[] };

export function hasErrors(problems: readonly { readonly severity: Severity }[]): boolean {
  return problems.some(({ severity }) => severity === 'error');
}

/** Whether all errors are safety rules. */
export function isBlocked(
  problems: readonly { readonly severity: Severity; readonly code: string }[],
): boolean {
  const errors = problems.filter(({ severity }) => severity === 'error');
  return errors.length > 0 && errors.every(({ code }) => blocks(code));
}

/** The severities of a project, by problem code. */
export type Lint = Readonly<Record<string, Severity | 'off'>>;

/** Errors that a comment can ignore: what gwconf knows of values and fields, and a gateway may see differently. */
export const ACCEPTABLE: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  'unknown-field',
  'missing-field',
  'invalid-value',
  'conflicting-fields',
  'incomplete-config',
  'repeated-item',
]);

/** Whether a project may take a problem from this severity to less. */
export function isLowerable(code: ProblemCode, from: Severity): boolean {
  return meaningOf(code)?.isLowerable ?? from !== 'error';
}

/** The severities that make problems errors. */
export function onlyErrors(lint: Lint): Lint {
  return Object.fromEntries(Object.entries(lint).filter(([, severity]) => severity === 'error'));
}

/** Applies the severities of the project; problems that are off are left out. */
export function applyLint(problems: readonly Problem[], lint: Lint): readonly Problem[] {
  return problems.flatMap((problem): readonly Problem[] => {
    const severity = lint[problem.code];
    const keeps =
      severity === undefined || (severity !== 'error' && !isLowerable(problem.code, problem.severity));
    if (keeps) return [problem];
    return severity === 'off' ? [] : [{ ...problem, severity }];
  });
}
