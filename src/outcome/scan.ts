import type { LocatedProblem, Position } from '../model/problem.ts';
import { describeProblem, type ProblemRecord } from './problem-record.ts';

/** The uses of one area of v1. */
export type AreaRecord = {
  readonly name: string;
  readonly deprecated: string;
  readonly removed: string;
  readonly replacement: string;
  readonly uses: readonly UseRecord[];
};
export type UseRecord = Position & { readonly text: string };

/** What `gwconf migrate --scan` found. */
export type ScanReport = {
  readonly format: 'gwconf/scan-report@1';
  readonly result: 'v1-used' | 'v1-unused' | 'error';
  readonly summary: {
    readonly uses: number;
    /** Files that use v1. */
    readonly files: number;
    /** Files that were read. */
    readonly read: number;
  };
  readonly areas: readonly AreaRecord[];
  readonly skipped: readonly { readonly path: string; readonly why: string }[];
  readonly problems: readonly ProblemRecord[];
};

type Found = Pick<ScanReport, 'areas' | 'skipped'> & { readonly read: number };

export function makeScanReport(
  { areas, skipped, read }: Found,
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
