import type { LocatedProblem } from '../../model/problem.ts';
import { describeProblem, type ProblemRecord } from './problem-record.ts';

export type ValidateReport = {
  readonly format: 'gwconf/validate-report@1';
  readonly result: 'valid' | 'error';
  readonly summary: { readonly resources: number; readonly errors: number; readonly warnings: number };
  readonly problems: readonly ProblemRecord[];
};

/** `failOn` is the least severity that makes the input invalid. */
export function makeValidateReport(
  resources: number,
  problems: readonly LocatedProblem[],
  failOn: 'error' | 'warning' = 'error',
): ValidateReport {
  const count = (severity: string): number =>
    problems.filter((problem) => problem.severity === severity).length;
  const [errors, warnings] = [count('error'), count('warning')];
  return {
    format: 'gwconf/validate-report@1',
    result: errors + (failOn === 'warning' ? warnings : 0) > 0 ? 'error' : 'valid',
    summary: { resources, errors, warnings },
    problems: problems.map(describeProblem),
  };
}
