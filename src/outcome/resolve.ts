import type { Plain } from '../model/shape.ts';
import type { resolveReport } from './shapes/resolve.ts';
import type { LocatedProblem } from '../model/problem.ts';
import { describeProblem } from './problem-record.ts';

/** What `gwconf resolve` found: which interceptors run for a client. */
export type ResolveReport = Plain<typeof resolveReport>;

export function makeResolveReport(
  about: Omit<ResolveReport, 'format' | 'problems'>,
  problems: readonly LocatedProblem[],
): ResolveReport {
  return { format: 'gwconf/resolve-report@1', ...about, problems: problems.map(describeProblem) };
}
