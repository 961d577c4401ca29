import { byKey } from '../model/collect.ts';
import type { Plain } from '../model/shape.ts';
import type { normalisation, selftestReport } from './shapes/plan.ts';
import { canonicalText, anyItem } from '../model/json/json.ts';
import type { KindSet } from '../model/kind.ts';
import { normalisationsOf } from '../model/normal/normal-form.ts';
import type { LocatedProblem } from '../model/problem.ts';
import { kindOf } from '../model/resource.ts';
import type { LiveState } from '../model/state.ts';
import type { ShownPlan } from '../plan/secrets/redact.ts';
import { describeChange } from './change-record.ts';
import { mapLazily, type Lazy } from './lazy.ts';
import { describeProblem } from './problem-record.ts';
import { resultOf } from './verdict.ts';

/** How often a field of a kind had to be normalised before it was compared, and why. */
export type NormalisationCount = Plain<typeof normalisation>;

export type SelftestReport = Plain<typeof selftestReport>;

/** `plan` and `live` are undefined when the gateway could not be read. */
export function makeSelftestReport(
  plan: ShownPlan | undefined,
  live: LiveState | undefined,
  kinds: KindSet,
  gateway: string,
  problems: readonly LocatedProblem[],
): Lazy<SelftestReport> {
  const normalisations = live === undefined ? [] : countNormalisations(live, kinds);
  const changes = mapLazily(plan?.changes ?? [], describeChange);
  return {
    format: 'gwconf/selftest-report@1',
    result: changes.length > 0 ? 'differences' : resultOf(problems, plan !== undefined, 'no-differences'),
    gateway,
    summary: {
      objects: live?.resources.size ?? 0,
      differences: changes.length,
      normalised: normalisations.reduce((sum, { count }) => sum + count, 0),
    },
    unavailable: [...(live?.unavailable.keys() ?? [])],
    normalisations,
    changes,
    problems: problems.map(describeProblem),
  };
}

/** Sorted by kind, reason and field. */
function countNormalisations(live: LiveState, kinds: KindSet): readonly NormalisationCount[] {
  const counts = new Map<string, NormalisationCount>();
  for (const [address, resource] of live.resources) {
    const kind = kinds.get(kindOf(address));
    if (kind === undefined) continue;
    for (const { reason, path } of normalisationsOf(kind, resource)) {
      const about = { kind: kind.name, reason, path: anyItem(path) };
      const key = canonicalText(about);
      counts.set(key, { ...about, count: (counts.get(key)?.count ?? 0) + 1 });
    }
  }
  return [...counts].sort(byKey).map(([, count]) => count);
}
