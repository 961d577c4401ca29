import type { LocatedProblem } from '../model/problem.ts';
import type { Address, Resource } from '../model/resource.ts';
import type { SnapshotAge } from '../plan/saved/live-snapshot.ts';
import { describeProblem, type ProblemRecord } from './problem-record.ts';
import type { LazyList } from './lazy.ts';

/** What `gwconf get` found. */
export type GetReport = {
  readonly format: 'gwconf/get-report@1';
  readonly result: 'ok' | 'not-found' | 'incomplete' | 'error';
  readonly gateway: string;
  /** Only of a snapshot. */
  readonly snapshot?: SnapshotAge | undefined;
  /** How many objects were found of each kind that was listed. */
  readonly summary: Readonly<Record<string, number>>;
  /** As they are live, without secrets. */
  readonly resources: LazyList<Resource & { readonly address: Address }>;
  readonly unavailable: readonly { readonly kind: string; readonly words: string }[];
  readonly problems: readonly ProblemRecord[];
};

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
