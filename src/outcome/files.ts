import type { Plain } from '../model/shape.ts';
import type { validateReport, coverage, environmentsReport, testCase, testReport } from './shapes/files.ts';
import { type LocatedProblem, hasErrors } from '../model/problem.ts';
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

/** A case in one environment. */
export type TestCaseRecord = Plain<typeof testCase>;

/** What the cases are about, of the files of one environment or of those that a test names. */
export type CoverageRecord = Plain<typeof coverage>;

export type TestReport = Plain<typeof testReport>;

export function makeTestReport(
  cases: readonly TestCaseRecord[],
  coverage: readonly CoverageRecord[],
  problems: readonly LocatedProblem[],
): TestReport {
  const count = (result: TestCaseRecord['result']): number =>
    cases.filter((one) => one.result === result).length;
  const [passed, failed, notRun] = [count('passed'), count('failed'), count('not-run')];
  const mistakes = problems.filter(({ code }) => code !== FAILED);
  return {
    format: 'gwconf/test-report@1',
    result: hasErrors(mistakes) || notRun > 0 ? 'error' : failed > 0 ? 'tests-failed' : 'passed',
    summary: { cases: cases.length, passed, failed, notRun },
    cases,
    coverage,
    problems: problems.map(describeProblem),
  };
}

/** The code of an expectation that does not hold; any other error is a mistake in a file. */
const FAILED = 'failed-expectation';

/** What `gwconf environments` lists. */
export type EnvironmentsReport = Plain<typeof environmentsReport>;
