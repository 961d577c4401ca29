import { hasErrors, isBlocked, type LocatedProblem } from '../../model/problem.ts';
import type { Limited } from '../../model/rules.ts';
import { countChanges, isNarrowed, type Counts, type Ignored, type Undoes } from '../../plan/change/plan.ts';
import type { SnapshotAge } from '../../plan/saved/live-snapshot.ts';
import type { Risk } from '../../plan/change/risks.ts';
import type { ShownPlan } from '../../plan/secrets/redact.ts';
import { describeChange, type ChangeRecord } from './change-record.ts';
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

export type PlanReport = ScopeRecord & {
  readonly format: 'gwconf/plan-report@1';
  readonly result: 'changes' | 'no-changes' | 'blocked' | 'stale' | 'error';
  /** Only of a plan that was made from a snapshot instead of a gateway. */
  readonly snapshot?: FromSnapshot | undefined;
  readonly prune?: readonly string[] | undefined;
  readonly limits?: Limited | undefined;
  readonly undoes?: Undoes | undefined;
  readonly summary: Counts;
  /** Consequences of changes that deserve a look first. */
  readonly risks: readonly Risk[];
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
    undoes: plan?.undoes,
    summary: plan?.counts ?? NO_COUNTS,
    risks: plan?.risks ?? [],
    changes,
    unclaimed: plan?.unclaimed ?? [],
    unmanaged: plan?.unmanaged ?? [],
    ignored: plan?.ignored ?? [],
    problems: problems.map(describeProblem),
  };
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
