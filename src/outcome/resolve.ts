import type { LocatedProblem } from '../model/problem.ts';
import type { Address, Scope } from '../model/resource.ts';
import { describeProblem, type ProblemRecord } from './problem-record.ts';

/** What `gwconf resolve` found: which interceptors run for a client. */
export type ResolveReport = {
  readonly format: 'gwconf/resolve-report@1';
  readonly result: 'ok' | 'error' | 'blocked' | 'stale';
  readonly gateway: string;
  readonly client: {
    readonly username?: string | undefined;
    readonly virtualCluster: string;
    readonly groups: readonly string[];
  };
  /** In the order in which they run. */
  readonly interceptors: readonly {
    readonly address: Address;
    readonly name: string;
    readonly scope: Scope;
    readonly priority: number;
    readonly pluginClass: string;
    readonly overrides: readonly Address[];
  }[];
  readonly problems: readonly ProblemRecord[];
};

export function makeResolveReport(
  about: Omit<ResolveReport, 'format' | 'problems'>,
  problems: readonly LocatedProblem[],
): ResolveReport {
  return { format: 'gwconf/resolve-report@1', ...about, problems: problems.map(describeProblem) };
}
