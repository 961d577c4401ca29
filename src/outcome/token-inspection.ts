import type { JsonObject } from '../model/json/json.ts';
import type { LocatedProblem } from '../model/problem.ts';
import { describeProblem, type ProblemRecord } from './problem-record.ts';

/** What `gwconf token inspect` found. */
export type TokenInspection = {
  readonly format: 'gwconf/token-inspection@1';
  readonly result: 'ok' | 'expired' | 'expiring' | 'error';
  /** Always false: only the gateway can check it. */
  readonly signatureChecked: false;
  readonly header?: JsonObject | undefined;
  readonly claims?: JsonObject | undefined;
  /** ISO 8601. */
  readonly expiresAt?: string | undefined;
  /** Negative for a token that has expired. */
  readonly secondsLeft?: number | undefined;
  readonly problems: readonly ProblemRecord[];
};

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
