import { hasErrors, isBlocked, type LocatedProblem } from '../model/problem.ts';
import type { Limited } from '../model/rules.ts';
import { CAUSES, type Cause } from '../plan/change/cause.ts';
import {
  countChanges,
  isNarrowed,
  isStep,
  type Action,
  type Counts,
  type Ignored,
  type PlanBase,
  type Undoes,
} from '../plan/change/plan.ts';
import type { SnapshotAge } from '../plan/saved/live-snapshot.ts';
import type { Effect } from '../plan/change/exposure.ts';
import type { Risk } from '../plan/change/risks.ts';
import type { ShownPlan } from '../plan/secrets/redact.ts';
import { describeChange, type ChangeRecord } from './change-record.ts';
import { describeExposures, type ExposureRecord } from './exposure-record.ts';
import { mapLazily, type Lazy } from './lazy.ts';
import { describeProblem, type ProblemRecord } from './problem-record.ts';

export type FromSnapshot = SnapshotAge & {
  /** How many fields could not be compared. */
  readonly cannotTell: number;
};

/** What a plan covers. */
export type ScopeRecord = {
  readonly gateway: string;
  /** The name of the environment in gwconf.yaml, if one is chosen. */
  readonly environment?: string | undefined;
  /** Only of a plan that was narrowed by `--target` or `--exclude`. */
  readonly selection?:
    | {
        readonly target: readonly string[];
        readonly exclude: readonly string[];
        readonly unselected: number;
      }
    | undefined;
  readonly manages?: readonly string[] | undefined;
};

/** What the causes of changes are relative to. */
export type BaseRecord = PlanBase & {
  /** Numbers of objects by cause; each counts once, for the first of its causes. Absent if they are unknown. */
  readonly causes?: Readonly<Record<Cause, Pick<Counts, Action>>> | undefined;
};

export type PlanReport = ScopeRecord & {
  readonly format: 'gwconf/plan-report@1';
  readonly result: 'changes' | 'no-changes' | 'blocked' | 'stale' | 'error';
  /** Only of a plan that was made from a snapshot instead of a gateway. */
  readonly snapshot?: FromSnapshot | undefined;
  readonly prune?: readonly string[] | undefined;
  readonly limits?: Limited | undefined;
  /** Only of a plan with a base. */
  readonly base?: BaseRecord | undefined;
  readonly undoes?: Undoes | undefined;
  readonly summary: Counts;
  /** Consequences of changes that deserve a look first. */
  readonly risks: readonly Risk[];
  /** The protection that principals lose, for good or for some calls. */
  readonly exposures?: readonly ExposureRecord[] | undefined;
  /** The principals whose interceptors change. */
  readonly effects?: readonly Effect[] | undefined;
  readonly changes: readonly ChangeRecord[];
  readonly unclaimed: readonly string[];
  readonly unmanaged: readonly string[];
  readonly ignored: readonly Ignored[];
  readonly problems: readonly ProblemRecord[];
};

/** The counts of a plan that could not be made. */
const NOTHING = { changes: [], unchanged: [], unclaimed: [], unmanaged: [], ignored: [] };
export const NO_COUNTS: Counts = countChanges(NOTHING);

/** What a report says of a plan that the plan does not have. */
export type PlanAbout = Pick<PlanReport, 'environment' | 'snapshot'>;

/** `plan` is undefined when it could not be made. */
export function makePlanReport(
  plan: ShownPlan | undefined,
  gateway: string,
  problems: readonly LocatedProblem[] = [],
  { environment, snapshot }: PlanAbout = {},
): Lazy<PlanReport> {
  const changes = mapLazily(plan?.changes ?? [], describeChange);
  const { selection, manages } = describeScope(plan);
  return {
    format: 'gwconf/plan-report@1',
    result: failureOf(problems, plan) ?? (changes.length > 0 ? 'changes' : 'no-changes'),
    gateway,
    environment,
    snapshot,
    selection,
    manages,
    prune: plan?.prune,
    limits: plan?.limits,
    base: plan?.base && { ...plan.base, causes: countCauses(plan) },
    undoes: plan?.undoes,
    summary: plan?.counts ?? NO_COUNTS,
    risks: plan?.risks ?? [],
    exposures: plan?.exposures && describeExposures(plan.exposures, plan.changes),
    effects: plan?.effects,
    changes,
    unclaimed: plan?.unclaimed ?? [],
    unmanaged: plan?.unmanaged ?? [],
    ignored: plan?.ignored ?? [],
    problems: problems.map(describeProblem),
  };
}

function countCauses({ changes }: ShownPlan): BaseRecord['causes'] {
  const none = { create: 0, update: 0, replace: 0, delete: 0 };
  const counts = { branch: { ...none }, drift: { ...none }, 'base-or-drift': { ...none }, base: { ...none } };
  for (const change of changes) {
    const causes = Object.values(change.fieldCauses ?? {});
    const { cause } = change;
    const main = cause === 'mixed' ? CAUSES.find((one) => causes.includes(one)) : cause;
    if (main === undefined) return undefined;
    if (!isStep(change)) counts[main][change.action] += 1;
  }
  return counts;
}

export function describeScope(plan: ShownPlan | undefined): Pick<ScopeRecord, 'selection' | 'manages'> {
  return {
    selection:
      plan !== undefined && isNarrowed(plan) ? { ...plan.selection, unselected: plan.unselected } : undefined,
    manages: plan?.manages,
  };
}

/** The result that problems force; so does a `plan` that could not be made. */
export function failureOf(
  problems: readonly LocatedProblem[],
  plan: ShownPlan | undefined,
): 'blocked' | 'error' | undefined {
  if (isBlocked(problems)) return 'blocked';
  return hasErrors(problems) || plan === undefined ? 'error' : undefined;
}
