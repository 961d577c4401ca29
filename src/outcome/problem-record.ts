import type { LocatedProblem, Position } from '../model/problem.ts';

/** A problem in a report. `schemas/` publishes this and all other types of this folder. */
export type ProblemRecord = {
  readonly code: string;
  readonly severity: string;
  readonly message: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly also?: Position;
  readonly address?: string;
  readonly path?: string;
  readonly hint?: string;
};

export function describeProblem({ at, frame: _, ...problem }: LocatedProblem): ProblemRecord {
  const { code, severity, message, ...rest } = problem;
  return { code, severity, message, ...at, ...rest };
}
