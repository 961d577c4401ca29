import type { LocatedProblem } from '../model/problem.ts';
import { describeProblem, type ProblemRecord } from './problem-record.ts';

/** What `gwconf token issue` did; the token itself is in the file. */
export type TokenReport = {
  readonly format: 'gwconf/token-report@1';
  readonly result: 'ok' | 'error' | 'blocked' | 'stale';
  readonly gateway: string;
  /** The address of the account. */
  readonly account: string;
  readonly lifetimeSeconds: number;
  /** ISO 8601; only of a token that was issued and says when it ends. */
  readonly expiresAt?: string | undefined;
  /** Only of a token that was written. */
  readonly file?: string | undefined;
  readonly problems: readonly ProblemRecord[];
};

export function makeTokenReport(
  about: Omit<TokenReport, 'format' | 'problems'>,
  problems: readonly LocatedProblem[],
): TokenReport {
  return { format: 'gwconf/token-report@1', ...about, problems: problems.map(describeProblem) };
}
