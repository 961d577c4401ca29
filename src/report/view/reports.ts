import type { Entry, Ledger } from '../../apply/events.ts';
import { hasErrors, isBlocked, type LocatedProblem } from '../../model/problem.ts';
import type { Limited } from '../../model/rules.ts';
import { countChanges, isNarrowed, type Counts, type Ignored } from '../../plan/change/plan.ts';
import type { ShownPlan } from '../../plan/secrets/redact.ts';
import type { Undoes } from '../../plan/change/plan.ts';
import {
  changeRecord,
  ledgerRecord,
  problemRecord,
  type ChangeRecord,
  type LedgerRecord,
  type ProblemRecord,
} from './records.ts';
import type { FromSnapshot } from '../text/snapshot-text.ts';

/** What `validate` tells machines; `schemas/` publishes this and the types below. */
export type ValidateReport = {
  readonly format: 'gwconf/validate-report@1';
  readonly result: 'valid' | 'error';
  readonly summary: { readonly resources: number; readonly errors: number; readonly warnings: number };
  readonly problems: readonly ProblemRecord[];
};

export type PlanReport = {
  readonly format: 'gwconf/plan-report@1';
  readonly result: 'changes' | 'no-changes' | 'blocked' | 'stale' | 'error';
  readonly gateway: string;
  /** Only of a plan with a snapshot, which no gateway was asked for. */
  readonly snapshot?: FromSnapshot;
  readonly selection?: {
    readonly target: readonly string[];
    readonly exclude: readonly string[];
    readonly unselected: number;
  };
  readonly manages?: readonly string[];
  readonly prune?: readonly string[];
  readonly limits?: Limited;
  readonly undoes?: Undoes;
  readonly summary: Counts;
  readonly changes: readonly ChangeRecord[];
  readonly unclaimed: readonly string[];
  readonly unmanaged: readonly string[];
  readonly ignored: readonly Ignored[];
  readonly problems: readonly ProblemRecord[];
};

export type ApplyResult = Ledger['result'] | 'stale' | 'blocked' | 'error';

export type ApplyReport = {
  readonly format: 'gwconf/apply-report@1';
  readonly result: ApplyResult;
  readonly gateway: string;
  /** What the plan held, and what became of it; an extra step counts in the second only. */
  readonly summary: Counts & { readonly [outcome in Entry['outcome']]: number };
  readonly ledger: readonly LedgerRecord[];
  /** How the run is taken back, and what does not come back; absent where no journal was kept. */
  readonly undo?: Undoes;
  readonly problems: readonly ProblemRecord[];
};

/** `failOn` is the severity from which on the input is not valid. */
export function validateReport(
  resources: number,
  problems: readonly LocatedProblem[],
  failOn: 'error' | 'warning' = 'error',
): ValidateReport {
  const count = (severity: string): number =>
    problems.filter((problem) => problem.severity === severity).length;
  return {
    format: 'gwconf/validate-report@1',
    result: count('error') + (failOn === 'warning' ? count('warning') : 0) > 0 ? 'error' : 'valid',
    summary: { resources, errors: count('error'), warnings: count('warning') },
    problems: problems.map(problemRecord),
  };
}

/** The counts of a plan that was never made. */
const NOTHING: Counts = countChanges({
  changes: [],
  unchanged: [],
  unclaimed: [],
  unmanaged: [],
  ignored: [],
});

/** `plan` is undefined when the problems left nothing to compare. */
export function planReport(
  plan: ShownPlan | undefined,
  gateway: string,
  problems: readonly LocatedProblem[],
  snapshot?: FromSnapshot,
): PlanReport {
  const changes = plan?.changes ?? [];
  return {
    format: 'gwconf/plan-report@1',
    result: resultOf(plan, problems),
    gateway,
    ...(snapshot === undefined ? {} : { snapshot }),
    ...(plan === undefined ? {} : selectionOf(plan)),
    ...(plan?.manages === undefined ? {} : { manages: plan.manages }),
    ...(plan?.prune === undefined ? {} : { prune: plan.prune }),
    ...(plan?.limits === undefined ? {} : { limits: plan.limits }),
    ...(plan?.undoes === undefined ? {} : { undoes: plan.undoes }),
    summary: plan?.counts ?? NOTHING,
    changes: changes.map(changeRecord),
    unclaimed: plan?.unclaimed ?? [],
    unmanaged: plan?.unmanaged ?? [],
    ignored: plan?.ignored ?? [],
    problems: problems.map(problemRecord),
  };
}

function resultOf(plan: ShownPlan | undefined, problems: readonly LocatedProblem[]): PlanReport['result'] {
  if (isBlocked(problems)) return 'blocked';
  if (hasErrors(problems) || plan === undefined) return 'error';
  return plan.changes.length > 0 ? 'changes' : 'no-changes';
}

/** What a narrowed plan looked at, and how much it did not. */
export function selectionOf(plan: ShownPlan): Pick<PlanReport, 'selection'> {
  return isNarrowed(plan) ? { selection: { ...plan.selection, unselected: plan.unselected } } : {};
}

export function applyReport(
  result: ApplyResult,
  gateway: string,
  counts: Counts | undefined,
  entries: readonly Entry[],
  problems: readonly LocatedProblem[],
  undo?: Undoes,
): ApplyReport {
  const outcomes = { done: 0, already: 0, failed: 0, blocked: 0, 'not-attempted': 0 };
  for (const { outcome } of entries) outcomes[outcome] += 1;
  return {
    format: 'gwconf/apply-report@1',
    result,
    gateway,
    summary: { ...(counts ?? NOTHING), ...outcomes },
    ledger: entries.map(ledgerRecord),
    ...(undo === undefined ? {} : { undo }),
    problems: problems.map(problemRecord),
  };
}
