import type { LocatedProblem } from '../model/problem.ts';
import { describeProblem, type ProblemRecord } from './problem-record.ts';

/** What `gwconf cluster switch` did. */
export type SwitchReport = {
  readonly format: 'gwconf/switch-report@1';
  readonly result: 'ok' | 'partial' | 'failed' | 'interrupted' | 'error' | 'stale' | 'blocked' | 'unchanged';
  readonly from: string;
  readonly to: string;
  /** Each instance that was to be told. */
  readonly instances: readonly {
    readonly url: string;
    readonly version?: string;
    readonly status: 'switched' | 'accepted' | 'unconfirmed' | 'failed' | 'not-attempted';
    readonly message?: string;
  }[];
  readonly problems: readonly ProblemRecord[];
};

export function makeSwitchReport(
  about: Omit<SwitchReport, 'format' | 'problems'>,
  problems: readonly LocatedProblem[],
): SwitchReport {
  return { format: 'gwconf/switch-report@1', ...about, problems: problems.map(describeProblem) };
}
