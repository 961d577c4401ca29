import type { Plain } from '../model/shape.ts';
import type { applyReport, entry, unprotected } from './shapes/run.ts';
import type { ApplyResult, Entry } from '../apply/events.ts';
import type { LocatedProblem } from '../model/problem.ts';
import type { Exposure, Counts } from '../plan/change/plan.ts';
import { mapLazily, type Lazy } from './lazy.ts';
import { NO_COUNTS } from './plan.ts';
import { describeProblem } from './problem-record.ts';

/** The outcome of one change. */
export type LedgerRecord = Plain<typeof entry>;

/** A protection that a principal lacks now; `from` is the change that took it away. */
export type UnprotectedRecord = Plain<typeof unprotected>;

export type ApplyReport = Plain<typeof applyReport>;

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
  const { address, action, outcome, step, reason, removal, movedTo, at } = entry;
  return {
    address,
    action,
    outcome,
    step,
    reason,
    removal,
    movedTo,
    at,
    by: entry.outcome === 'blocked' ? entry.by : undefined,
    problem: entry.outcome === 'failed' ? describeProblem(entry.problem) : undefined,
  };
}
