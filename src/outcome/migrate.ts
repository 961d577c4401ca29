import type { Address } from '../model/resource.ts';
import type { LocatedProblem } from '../model/problem.ts';
import { describeProblem, type ProblemRecord } from './problem-record.ts';

/** A call, and what became of it. */
export type MigratedCallRecord = {
  readonly file: string;
  /** Absent for what was read from a gateway. */
  readonly line?: number;
  readonly gateway?: string;
  readonly method?: string;
  readonly path?: string;
  /** The object that was read from the gateway, where the path does not tell. */
  readonly object?: Address;
  readonly outcome: 'converted' | 'converted with a choice' | 'imperative' | 'cannot';
  readonly why?: string;
  readonly to: readonly Address[];
};

/** The files for one gateway. */
export type MigratedGatewayRecord = {
  readonly gateway: string;
  readonly folder: string;
  readonly objects: number;
  readonly files: number;
};

/** What `gwconf migrate` wrote, and what became of each call. */
export type MigrateReport = {
  readonly format: 'gwconf/migrate-report@1';
  readonly result: 'ok' | 'not-converted' | 'error' | 'blocked' | 'stale';
  readonly summary: Readonly<Record<MigratedCallRecord['outcome'], number>>;
  readonly gateways: readonly MigratedGatewayRecord[];
  /** Variables that the files need: secrets, and variables of the scripts. */
  readonly variables: readonly { readonly name: string; readonly secret: boolean }[];
  readonly calls: readonly MigratedCallRecord[];
  readonly problems: readonly ProblemRecord[];
};

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
