import type { Pointer } from './json/json.ts';
import { blocks, type ProblemCode, type Severity } from './problem-codes.ts';
import type { Address } from './resource.ts';

export type SourceFile = {
  readonly path: string;
  readonly text: string;
  /** Asked for by its own path; a file that was found in a folder is passed over when it declares nothing. */
  readonly named?: boolean;
  /** Files of a later layer may overlay those of an earlier one. Default: 0. */
  readonly layer?: number;
};
/** One document of a file: its number, counted from 0 with empty ones, and where its first line of content begins. */
export type DocumentRef = { readonly file: SourceFile; readonly index: number; readonly offset: number };
/** One-based, as editors count. */
export type Position = { readonly file: string; readonly line: number; readonly column: number };

/** Where something stands. Worked out to a Position only when somebody looks. */
export type Place =
  | { readonly document: DocumentRef; readonly path: Pointer; readonly on: 'key' | 'value' }
  | { readonly file: SourceFile; readonly offset: number };

/** What is wrong with the user's input: a value, never thrown. */
export type Problem = {
  readonly code: ProblemCode;
  readonly severity: Severity;
  /** What is wrong, one clause without a full stop. */
  readonly message: string;
  readonly at?: Place;
  /** The other place where two are involved: of the two, the earlier. */
  readonly also?: Place;
  readonly address?: Address;
  readonly path?: Pointer;
  /** What to do about it, an imperative. */
  readonly hint?: string;
  /** A secret stands at the place: its line must not be shown. */
  readonly confidential?: true;
};

/** A problem with its places worked out, for renderers. */
export type LocatedProblem = Omit<Problem, 'at' | 'also' | 'confidential'> & {
  readonly at?: Position;
  readonly also?: Position;
  /** The lines to show, the last being the one that is meant; nothing secret is in them. */
  readonly frame?: Frame;
};
export type Frame = {
  readonly lines: readonly { readonly number: number; readonly text: string }[];
  /** One-based, in the last line. */
  readonly column: number;
  readonly length: number;
};

/** Every stage returns the best value it could make, and all it found wrong. */
export type Checked<T> = { readonly value: T; readonly problems: readonly Problem[] };

export function hasErrors(problems: readonly { readonly severity: Severity }[]): boolean {
  return problems.some(({ severity }) => severity === 'error');
}

/** Whether all that stands in the way is a safety rule. */
export function isBlocked(
  problems: readonly { readonly severity: Severity; readonly code: string }[],
): boolean {
  const errors = problems.filter(({ severity }) => severity === 'error');
  return errors.length > 0 && errors.every(({ code }) => blocks(code));
}
