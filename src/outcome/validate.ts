import type { Plain } from '../model/shape.ts';
import type { validateReport } from './shapes/validate.ts';
import type { LocatedProblem } from '../model/problem.ts';
import { describeProblem } from './problem-record.ts';
import { resultOf } from './verdict.ts';

export type ValidateReport = Plain<typeof validateReport>;

/** `failOn` is the least severity that makes the input invalid; `environments` are given if there are several. */
export function makeValidateReport(
  resources: number,
  problems: readonly LocatedProblem[],
  failOn: 'error' | 'warning' = 'error',
  environments?: readonly string[],
): ValidateReport {
  const count = (severity: string): number =>
    problems.filter((problem) => problem.severity === severity).length;
  const [errors, warnings] = [count('error'), count('warning')];
  return {
    format: 'gwconf/validate-report@1',
    result: resultOf(problems, failOn === 'error' || warnings === 0, 'valid'),
    summary: { resources, errors, warnings, ...(environments === undefined ? {} : { environments }) },
    problems: problems.map(describeProblem),
  };
}
