import type { Plain } from '../model/shape.ts';
import type { getReport } from './shapes/get.ts';
import type { LocatedProblem } from '../model/problem.ts';
import { describeProblem } from './problem-record.ts';

/** What `gwconf get` found. */
export type GetReport = Plain<typeof getReport>;

export function makeGetReport(
  {
    unavailable,
    ...found
  }: Pick<GetReport, 'result' | 'gateway' | 'snapshot' | 'summary' | 'resources'> & {
    readonly unavailable: ReadonlyMap<string, string>;
  },
  problems: readonly LocatedProblem[],
): GetReport {
  return {
    format: 'gwconf/get-report@1',
    ...found,
    unavailable: [...unavailable].map(([kind, words]) => ({ kind, words })),
    problems: problems.map(describeProblem),
  };
}
