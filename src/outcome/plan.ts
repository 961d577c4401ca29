import type { Plain } from '../model/shape.ts';
import type { planReport, exposure, weakening } from './shapes/plan.ts';
import type { LocatedProblem } from '../model/problem.ts';
import { CAUSES, isStep, idOf, type Change, type ChangeId } from '../plan/change/change.ts';
import { countChanges, isNarrowed, type Counts, type Exposure } from '../plan/change/plan.ts';
import type { ShownPlan } from '../plan/secrets/redact.ts';
import { describeChange } from './change-record.ts';
import { mapLazily, type Lazy } from './lazy.ts';
import { describeProblem } from './problem-record.ts';
import { resultOf } from './verdict.ts';

/** What a plan covers. */
export type ScopeRecord = Pick<PlanReport, 'gateway' | 'environment' | 'selection' | 'manages'>;

/** What the causes of changes are relative to. */
export type BaseRecord = NonNullable<PlanReport['base']>;

export type PlanReport = Plain<typeof planReport>;

/** The counts of a plan that could not be made. */
const NOTHING = { changes: [], unchanged: [], unclaimed: [], unmanaged: [], ignored: [] };
export const NO_COUNTS: Counts = countChanges(NOTHING);

/** What a report says of a plan that the plan does not have. */
export type PlanAbout = Pick<PlanReport, 'environment' | 'snapshot'> & {
  /** The result where there was nothing to plan against. */
  readonly failed?: 'error' | 'blocked' | 'stale';
};

/** `plan` is undefined when it could not be made. */
export function makePlanReport(
  plan: ShownPlan | undefined,
  gateway: string,
  problems: readonly LocatedProblem[] = [],
  { environment, snapshot, failed }: PlanAbout = {},
): Lazy<PlanReport> {
  const changes = mapLazily(plan?.changes ?? [], describeChange);
  const { selection, manages } = describeScope(plan);
  return {
    format: 'gwconf/plan-report@1',
    result: failed ?? resultOf(problems, plan !== undefined, changes.length > 0 ? 'changes' : 'no-changes'),
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
    weakenings: plan?.weakenings,
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
  const counts = {
    branch: { ...none },
    drift: { ...none },
    'base-or-drift': { ...none },
    base: { ...none },
    behind: { ...none },
  };
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

export type ExposureRecord = Plain<typeof exposure>;
export type WeakeningRecord = Plain<typeof weakening>;

export function describeExposures(
  exposures: readonly Exposure[],
  changes: readonly Change[],
): readonly ExposureRecord[] {
  if (exposures.every(({ until }) => until === undefined)) return exposures;
  const ends = new Map<ChangeId, number>();
  let calls = 0;
  for (const change of changes) ends.set(idOf(change), (calls += change.action === 'replace' ? 2 : 1));
  return exposures.map((one): ExposureRecord => {
    const [start, end] = [ends.get(one.from), one.until === undefined ? undefined : ends.get(one.until)];
    return start === undefined || end === undefined ? one : { ...one, calls: Math.max(1, end - start) };
  });
}
