import type { Plain } from '../model/shape.ts';
import type { LocatedProblem } from '../model/problem.ts';
import { describeProblem } from './problem-record.ts';
import type { migrateReport, scanReport } from './shapes/files.ts';

/** The uses of one area of v1. */
export type AreaRecord = ScanReport['areas'][number];
/** What `gwconf migrate --scan` found. */
export type ScanReport = Plain<typeof scanReport>;

export function makeScanReport(
  { areas, skipped, read }: Pick<ScanReport, 'areas' | 'skipped'> & { readonly read: number },
  problems: readonly LocatedProblem[],
): ScanReport {
  const uses = areas.flatMap((area) => area.uses);
  const isFound = uses.length > 0;
  return {
    format: 'gwconf/scan-report@1',
    result: problems.length > 0 ? 'error' : isFound ? 'v1-used' : 'v1-unused',
    summary: { uses: uses.length, files: new Set(uses.map(({ file }) => file)).size, read },
    areas,
    skipped,
    problems: problems.map(describeProblem),
  };
}

/** Each use as a problem, for the formats of code scanners. */
export function problemsOfScan({ areas }: Pick<ScanReport, 'areas'>): readonly LocatedProblem[] {
  return areas.flatMap(({ name, deprecated, removed, replacement, uses }) =>
    uses.map(({ text, ...at }): LocatedProblem => ({
      code: 'removed-endpoint',
      severity: 'warning',
      message: `${text} belongs to ${name}, which is deprecated since gateway ${deprecated} and removed in ${removed}`,
      at,
      hint: `use ${replacement}`,
    })),
  );
}

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
