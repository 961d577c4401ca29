import type { Journal, RunProcess } from '../../apply/journal/journal.ts';
import type { Ledger } from '../../apply/events.ts';
import { deriveStatuses, type ChangeStatus } from '../../apply/journal/change-status.ts';
import type { LocatedProblem } from '../../model/problem.ts';
import { idOf, type Action, type Change } from '../../plan/change/plan.ts';
import { problemRecord, type ProblemRecord } from './records.ts';

/** One run, as a list of runs has it; `schemas/` publishes this and the types below. */
export type RunRecord = {
  readonly run: string;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly gateway: string;
  readonly environment?: string;
  /** The run that it takes back. */
  readonly undoes?: string;
  /** `unfinished` when it is still going on, or was killed. */
  readonly result: Ledger['result'] | 'unfinished';
  /** How many changes its plan has, extra steps included. */
  readonly changes: number;
  /** How many of them came true, by this run or before it. */
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
  readonly step?: string;
  readonly known: ChangeStatus;
  /** Of failed: the gateway's words, without secrets. */
  readonly why?: string;
};

export type RunReport = {
  readonly format: 'gwconf/run-report@1';
  readonly run: RunRecord;
  readonly finishedAt?: string;
  /** Who carried it out, the first who began it. */
  readonly sittings: readonly RunProcess[];
  /** In the order of the plan. */
  readonly changes: readonly RunChangeRecord[];
};

export function runRecord({ started, outcomes, finished }: Journal): RunRecord {
  const { run, at: startedAt, gateway, environment, undoes, changes } = started;
  const count = (...wanted: readonly string[]): number =>
    [...outcomes.values()].filter(({ outcome }) => wanted.includes(outcome)).length;
  return {
    run,
    startedAt,
    gateway,
    ...(environment === undefined ? {} : { environment }),
    ...(undoes === undefined ? {} : { undoes }),
    result: finished?.result ?? 'unfinished',
    changes,
    done: count('done', 'already'),
    failed: count('failed'),
  };
}

export function runsReport(journals: readonly Journal[], problems: readonly LocatedProblem[]): RunsReport {
  return {
    format: 'gwconf/runs-report@1',
    runs: journals.map(runRecord),
    problems: problems.map(problemRecord),
  };
}

/** `changes` are those of the plan that the journal is of. */
export function runReport(journal: Journal, changes: readonly Change[]): RunReport {
  const known = deriveStatuses(changes, journal);
  return {
    format: 'gwconf/run-report@1',
    run: runRecord(journal),
    ...(journal.finished === undefined ? {} : { finishedAt: journal.finished.at }),
    sittings: journal.processes.map(({ at, tool, pid, host }) => ({ at, tool, pid, host })),
    changes: changes.map((change) => {
      const { address, action } = change;
      const step = change.action === 'update' ? change.step : undefined;
      const why = journal.outcomes.get(idOf(change))?.why;
      return {
        address,
        action,
        ...(step === undefined ? {} : { step }),
        known: known.get(idOf(change)) ?? 'not-attempted',
        ...(why === undefined ? {} : { why }),
      };
    }),
  };
}
