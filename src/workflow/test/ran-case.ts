import type { Place, Problem } from '../../model/problem.ts';

/** What came of a case in one environment, or of an example of a policy. */
export type RanCase = {
  readonly name: string;
  readonly at: Place;
  readonly environment: string | undefined;
  readonly result: 'passed' | 'failed' | 'not-run';
  readonly principals: number;
  readonly problems: readonly Problem[];
};
