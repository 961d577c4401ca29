import { hasErrors, isBlocked, type LocatedProblem } from '../../model/problem.ts';
import { kindOf, type Address } from '../../model/resource.ts';
import type { Pointer } from '../../model/json/json.ts';
import type { AcceptedDrift, Drift, JudgedDrift } from '../../plan/drift/drift.ts';
import type { ShownPlan } from '../../plan/secrets/redact.ts';
import { problemRecord, type ProblemRecord } from './records.ts';
import { selectionOf, type PlanReport } from './reports.ts';

/** What nobody could compare, and why. */
export type Unchecked =
  | { readonly reason: 'unavailable'; readonly kind: string; readonly words: string }
  | { readonly reason: 'cannot-tell'; readonly address: Address; readonly path: Pointer };

type DriftRecord = Drift & { readonly kind: string };
type AcceptedDriftRecord = AcceptedDrift & { readonly kind: string };

export type DriftReport = {
  readonly format: 'gwconf/drift-report@1';
  readonly result: 'drift' | 'no-drift' | 'blocked' | 'error';
  readonly gateway: string;
  readonly selection?: NonNullable<PlanReport['selection']>;
  readonly manages?: readonly string[];
  /** Objects; of accepted drift and of what could not be checked, the entries below. */
  readonly summary: Readonly<
    Record<Drift['drift'] | 'accepted' | 'ignored' | 'unchecked' | 'asDeclared' | 'unmanaged', number>
  >;
  readonly drift: readonly DriftRecord[];
  readonly accepted: readonly AcceptedDriftRecord[];
  readonly unchecked: readonly Unchecked[];
  readonly problems: readonly ProblemRecord[];
};

/** What there is to say of drift: what was compared, what was found, and what could not be. */
export type Compared = {
  readonly plan: ShownPlan;
  readonly judged: JudgedDrift;
  readonly unchecked: readonly Unchecked[];
};

/** `compared` is undefined when the problems left nothing to compare. */
export function driftReport(
  compared: Compared | undefined,
  gateway: string,
  problems: readonly LocatedProblem[],
): DriftReport {
  const { drift, accepted } = compared?.judged ?? { drift: [], accepted: [] };
  const unchecked = compared?.unchecked ?? [];
  const plan = compared?.plan;
  const count = (sort: Drift['drift']): number => drift.filter((one) => one.drift === sort).length;
  return {
    format: 'gwconf/drift-report@1',
    result: resultOf(compared, problems),
    gateway,
    ...(plan === undefined ? {} : selectionOf(plan)),
    ...(plan?.manages === undefined ? {} : { manages: plan.manages }),
    summary: {
      missing: count('missing'),
      changed: count('changed'),
      unclaimed: count('unclaimed'),
      remaining: count('remaining'),
      accepted: accepted.length,
      ignored: plan?.counts.ignored ?? 0,
      unchecked: unchecked.length,
      asDeclared: plan?.counts.unchanged ?? 0,
      unmanaged: plan?.counts.unmanaged ?? 0,
    },
    drift: drift.map((one) => ({ ...one, kind: kindOf(one.address) })),
    accepted: accepted.map((one) => ({ ...one, kind: kindOf(one.address) })),
    unchecked,
    problems: problems.map(problemRecord),
  };
}

function resultOf(
  compared: Compared | undefined,
  problems: readonly LocatedProblem[],
): DriftReport['result'] {
  if (isBlocked(problems)) return 'blocked';
  if (hasErrors(problems) || compared === undefined) return 'error';
  return compared.judged.drift.length > 0 ? 'drift' : 'no-drift';
}
