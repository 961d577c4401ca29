import type { ApplyResult, Entry, Outcome } from '../apply/events.ts';
import type { LocatedProblem, Position } from '../model/problem.ts';
import type { Exposure } from '../plan/change/exposure.ts';
import type { Action, Counts, Undoes } from '../plan/change/plan.ts';
import { mapLazily, type Lazy } from './lazy.ts';
import { NO_COUNTS } from './plan.ts';
import { describeProblem, type ProblemRecord } from './problem-record.ts';

/** The outcome of one change. */
export type LedgerRecord = {
  readonly address: string;
  readonly action: Action;
  readonly outcome: Outcome;
  readonly step?: string | undefined;
  readonly reason?: string | undefined;
  readonly removal?: string | undefined;
  readonly at?: Position | undefined;
  /** The changes that block it. */
  readonly by?: readonly string[] | undefined;
  readonly problem?: ProblemRecord | undefined;
};

/** A protection that a principal lacks now; `from` is the change that took it away. */
export type UnprotectedRecord = Omit<Exposure, 'lasting' | 'until' | 'seconds' | 'accepted'>;

export type ApplyReport = {
  readonly format: 'gwconf/apply-report@1';
  readonly result: ApplyResult;
  readonly gateway: string;
  /** The name of the environment in gwconf.yaml, if one is chosen. */
  readonly environment?: string | undefined;
  /** The counts of the plan, and of the outcomes; an extra step counts in the outcomes only. */
  readonly summary: Counts & Readonly<Record<Outcome, number>>;
  /** In the order of the plan. */
  readonly ledger: readonly LedgerRecord[];
  /** The protection that principals lack now, because only some changes were made. */
  readonly unprotected?: readonly UnprotectedRecord[] | undefined;
  /** The run that undo takes, and what an undo does not restore; absent without a journal. */
  readonly undo?: Undoes | undefined;
  readonly problems: readonly ProblemRecord[];
};

/** `counts` is undefined when there is no plan. */
export function makeApplyReport(
  result: ApplyResult,
  gateway: string,
  counts: Counts | undefined,
  entries: readonly Entry[],
  problems: readonly LocatedProblem[],
  {
    environment,
    undo,
    unprotected,
  }: Pick<ApplyReport, 'environment' | 'undo'> & {
    readonly unprotected?: readonly Exposure[] | undefined;
  } = {},
): Lazy<ApplyReport> {
  const outcomes = { done: 0, already: 0, failed: 0, blocked: 0, 'not-attempted': 0 };
  for (const { outcome } of entries) outcomes[outcome] += 1;
  return {
    format: 'gwconf/apply-report@1',
    result,
    gateway,
    environment,
    summary: { ...(counts ?? NO_COUNTS), ...outcomes },
    ledger: mapLazily(entries, describeEntry),
    unprotected: unprotected?.map(({ lasting: _, ...exposure }) => exposure),
    undo,
    problems: problems.map(describeProblem),
  };
}

export function describeEntry(entry: Entry): LedgerRecord {
  const { address, action, outcome, step, reason, removal, at } = entry;
  return {
    address,
    action,
    outcome,
    step,
    reason,
    removal,
    at,
    by: entry.outcome === 'blocked' ? entry.by : undefined,
    problem: entry.outcome === 'failed' ? describeProblem(entry.problem) : undefined,
  };
}
