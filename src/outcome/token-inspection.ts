import type { Plain } from '../model/shape.ts';
import type { tokenInspection } from './shapes/token.ts';
import type { LocatedProblem } from '../model/problem.ts';
import { describeProblem } from './problem-record.ts';

/** What `gwconf token inspect` found. */
export type TokenInspection = Plain<typeof tokenInspection>;

export function makeTokenInspection(
  about: Omit<TokenInspection, 'format' | 'signatureChecked' | 'problems'>,
  problems: readonly LocatedProblem[],
): TokenInspection {
  return {
    format: 'gwconf/token-inspection@1',
    signatureChecked: false,
    ...about,
    problems: problems.map(describeProblem),
  };
}
