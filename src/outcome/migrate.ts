import type { Plain } from '../model/shape.ts';
import type { migrateReport } from './shapes/migrate.ts';
import type { LocatedProblem } from '../model/problem.ts';
import { describeProblem } from './problem-record.ts';

/** A call, and what became of it. */
export type MigratedCallRecord = MigrateReport['calls'][number];

/** What `gwconf migrate` wrote, and what became of each call. */
export type MigrateReport = Plain<typeof migrateReport>;

export function makeMigrateReport(
  about: Omit<MigrateReport, 'format' | 'summary' | 'problems'>,
  problems: readonly LocatedProblem[],
): MigrateReport {
  const summary = { converted: 0, 'converted with a choice': 0, imperative: 0, cannot: 0 };
  for (const { outcome } of about.calls) summary[outcome] += 1;
  const { result, gateways, variables, calls } = about;
  return {
    format: 'gwconf/migrate-report@1',
    ...{ result, summary, gateways, variables, calls },
    problems: problems.map(describeProblem),
  };
}
