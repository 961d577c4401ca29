import type { Plain } from '../model/shape.ts';
import type { run, runChange, runReport, runsReport } from './shapes/run.ts';
import { type Journal, deriveStatuses } from '../apply/journal/journal.ts';
import type { LocatedProblem } from '../model/problem.ts';
import { idOf, type Change } from '../plan/change/change.ts';
import { describeProblem } from './problem-record.ts';

export type RunRecord = Plain<typeof run>;

export type RunsReport = Plain<typeof runsReport>;

export type RunChangeRecord = Plain<typeof runChange>;

export type RunReport = Plain<typeof runReport>;

/** Where a run was, for people. */
export function whereOf({ gateway, environment }: Pick<RunRecord, 'gateway' | 'environment'>): string {
  return environment === undefined ? gateway : `${gateway} (${environment})`;
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

/** Undefined for a run that was begun before runs had numbers. */
export function numberOfRun(run: string): number | undefined {
  const [, number] = /^0*([1-9]\d*)-/.exec(run) ?? [];
  return number === undefined ? undefined : Number(number);
}

function describeRun({ started, outcomes, open, finished }: Journal): RunRecord {
  const { run, at: startedAt, by, commit, branch, gateway, environment, undoes, changes, counts } = started;

  const count = (...wanted: readonly string[]): number =>
    [...outcomes.values()].filter(({ outcome }) => wanted.includes(outcome)).length;
  return {
    run,
    number: numberOfRun(run),
    startedAt,
    by,
    commit,
    branch,
    gateway,
    environment,
    undoes,
    result: finished?.result ?? 'unfinished',
    changes,
    counts: counts && {
      create: counts.create,
      update: counts.update,
      replace: counts.replace,
      delete: counts.delete,
    },
    done: count('done', 'already'),
    failed: count('failed'),
    inFlight: open.size,
  };
}
