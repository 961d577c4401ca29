import type { Plain } from '../model/shape.ts';
import type { problem } from './shapes/shared.ts';
import type { LocatedProblem } from '../model/problem.ts';

/** A problem in a report. `schemas/` publishes this and all other types of this folder. */
export type ProblemRecord = Plain<typeof problem>;

export function describeProblem({ at, frame: _, ...problem }: LocatedProblem): ProblemRecord {
  const { code, severity, message, ...rest } = problem;
  return { code, severity, message, ...at, ...rest };
}
