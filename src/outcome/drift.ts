import type { Plain } from '../model/shape.ts';
import type { driftReport } from './shapes/compare.ts';
import { hasUnread } from '../model/field-difference.ts';
import type { LocatedProblem } from '../model/problem.ts';
import { kindOf } from '../model/resource.ts';
import type { Compared, Drift } from '../plan/compare/drift.ts';
import { describeScope } from './plan.ts';
import { describeProblem } from './problem-record.ts';
import { resultOf } from './verdict.ts';

export type DriftReport = Plain<typeof driftReport>;

/** `compared` is undefined when the problems left nothing to compare. */
export function makeDriftReport(
  compared: Compared | undefined,
  gateway: string,
  problems: readonly LocatedProblem[],
  environment?: string,
  since?: string,
): DriftReport {
  const { drift = [], accepted = [] } = compared?.split ?? {};
  const { plan, uncompared = [] } = compared ?? {};
  const count = (sort: Drift['drift']): number => drift.filter((one) => one.drift === sort).length;
  return {
    format: 'gwconf/drift-report@1',
    result: resultOf(
      problems,
      plan !== undefined,
      // Objects that were not looked at may have drifted. A field without a value here is meant to be left open.
      drift.length > 0 ? 'drift' : uncompared.some(hasUnread) ? 'incomplete' : 'no-drift',
    ),
    gateway,
    environment,
    ...describeScope(plan),
    since,
    summary: {
      missing: count('missing'),
      changed: count('changed'),
      unclaimed: count('unclaimed'),
      remaining: count('remaining'),
      accepted: accepted.length,
      ignored: plan?.counts.ignored ?? 0,
      unchecked: uncompared.length,
      asDeclared: plan?.counts.unchanged ?? 0,
      unmanaged: plan?.counts.unmanaged ?? 0,
    },
    drift: drift.map((one) => ({ ...one, ...describe(one) })),
    accepted: accepted.map((one) => ({ ...one, ...describe(one) })),
    unchecked: uncompared,
    problems: problems.map(describeProblem),
  };
}

function describe({ address, fields }: Drift): Pick<DriftReport['drift'][number], 'kind' | 'fields'> {
  return {
    kind: kindOf(address),
    fields: fields.map((field) => ({
      path: field.path,
      ...('after' in field ? { declared: field.after } : {}),
      ...('before' in field ? { live: field.before } : {}),
      ...(field.moved === undefined ? {} : { moved: field.moved }),
    })),
  };
}
