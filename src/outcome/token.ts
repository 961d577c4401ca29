import type { Plain } from '../model/shape.ts';
import type { tokenReport } from './shapes/token.ts';
import type { LocatedProblem } from '../model/problem.ts';
import { describeProblem } from './problem-record.ts';

/** What `gwconf token issue` did; the token itself is in the file. */
export type TokenReport = Plain<typeof tokenReport>;

export function makeTokenReport(
  about: Omit<TokenReport, 'format' | 'problems'>,
  problems: readonly LocatedProblem[],
): TokenReport {
  return { format: 'gwconf/token-report@1', ...about, problems: problems.map(describeProblem) };
}
