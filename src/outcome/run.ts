import type { Journal, RunProcess } from '../apply/journal/journal.ts';
import type { Ledger } from '../apply/events.ts';
import { deriveStatuses, type ChangeStatus } from '../apply/journal/change-status.ts';
import type { LocatedProblem } from '../model/problem.ts';
import { idOf, type Action, type Change } from '../plan/change/plan.ts';
import { describeProblem, type ProblemRecord } from './problem-record.ts';

/** One run in a list of runs. */
export type RunRecord = {
  readonly run: string;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly gateway: string;
  readonly environment?: string | undefined;
  /** The run that this one undoes. */
  readonly undoes?: string | undefined;
  /** `unfinished` while it is in progress, or when it was killed. */
  readonly result: Ledger['result'] | 'unfinished';
  /** The number of changes in its plan, extra steps included. */
  readonly changes: number;
  /** How many of them are in effect, whether this run made them or not. */
  readonly done: number;
  readonly failed: number;
};

export type RunsReport = {
  readonly format: 'gwconf/runs-report@1';
  /** Newest first. */
  readonly runs: readonly RunRecord[];
  readonly problems: readonly ProblemRecord[];
};

export type RunChangeRecord = {
  readonly address: string;
  readonly action: Action;
  readonly step?: string | undefined;
  readonly known: ChangeStatus;
  /** Of a failed change: the answer of the gateway, without secrets. */
  readonly why?: string | undefined;
};

export type RunReport = {
  readonly format: 'gwconf/run-report@1';
  readonly run: RunRecord;
  readonly finishedAt?: string | undefined;
  /** The processes that worked on the run; the first one started it. */
  readonly sittings: readonly RunProcess[];
  /** In the order of the plan. */
  readonly changes: readonly RunChangeRecord[];
};

/** How many changes have each status. */
export function countStatuses(changes: Iterable<RunChangeRecord>): ReadonlyMap<ChangeStatus, number> {
  const counts = new Map<ChangeStatus, number>();
  for (const { known } of changes) counts.set(known, (counts.get(known) ?? 0) + 1);
  return counts;
}

export function makeRunsReport(
  journals: readonly Journal[],
  problems: readonly LocatedProblem[],
): RunsReport {
  return {
    format: 'gwconf/runs-report@1',
    runs: journals.map(describeRun),
    problems: problems.map(describeProblem),
  };
}

/** `changes` are those of the plan that the journal belongs to. */
export function makeRunReport(journal: Journal, changes: readonly Change[]): RunReport {
  const known = deriveStatuses(changes, journal);
  return {
    format: 'gwconf/run-report@1',
    run: describeRun(journal),
    finishedAt: journal.finished?.at,
    sittings: journal.processes.map(({ at, tool, pid, host }) => ({ at, tool, pid, host })),
    changes: changes.map((change) => ({
      address: change.address,
      action: change.action,
      step: 'step' in change ? change.step : undefined,
      known: known.get(idOf(change)) ?? 'not-attempted',
      why: journal.outcomes.get(idOf(change))?.why,
    })),
  };
}

function describeRun({ started, outcomes, finished }: Journal): RunRecord {
  const { run, at: startedAt, gateway, environment, undoes, changes } = started;
  const count = (...wanted: readonly string[]): number =>
    [...outcomes.values()].filter(({ outcome }) => wanted.includes(outcome)).length;
  return {
    run,
    startedAt,
    gateway,
    environment,
    undoes,
    result: finished?.result ?? 'unfinished',
    changes,
    done: count('done', 'already'),
    failed: count('failed'),
  };
}
