import { type LocatedProblem, type Position, hasErrors } from '../model/problem.ts';
import type { Principal } from '../model/principal.ts';
import { describeProblem, type ProblemRecord } from './problem-record.ts';

/** A case in one environment. */
export type TestCaseRecord = {
  readonly name: string;
  readonly environment?: string | undefined;
  readonly result: 'passed' | 'failed' | 'not-run';
  /** For how many principals its expectations were checked. */
  readonly principals: number;
  readonly problems: readonly ProblemRecord[];
} & Position;

/** What the cases are about, of the files of one environment or of those that a test names. */
export type CoverageRecord = {
  readonly environment?: string | undefined;
  readonly files?: readonly string[] | undefined;
  readonly principals: number;
  readonly interceptors: number;
  /** Principals that no case is for. */
  readonly untestedPrincipals: readonly Principal[];
  /** Interceptors that no expectation depends on. */
  readonly untestedInterceptors: readonly string[];
};

export type TestReport = {
  readonly format: 'gwconf/test-report@1';
  readonly result: 'passed' | 'tests-failed' | 'error';
  readonly summary: {
    readonly cases: number;
    readonly passed: number;
    readonly failed: number;
    readonly notRun: number;
  };
  readonly cases: readonly TestCaseRecord[];
  readonly coverage: readonly CoverageRecord[];
  /** All problems, with those of cases. */
  readonly problems: readonly ProblemRecord[];
};

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
