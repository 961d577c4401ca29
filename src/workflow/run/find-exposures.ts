import type { Entry } from '../../apply/events.ts';
import { timeExposures } from '../../apply/estimate.ts';
import { boundsFor } from '../../apply/limiter/limiter.ts';
import { type Problem, applyLint } from '../../model/problem.ts';
import type { Address, Resource } from '../../model/resource.ts';
import { type Exposure, idOf, isStep, type Change } from '../../plan/change/plan.ts';
import { markAccepted, checkExposures, checkWeakenings } from '../../plan/checks/exposures.ts';
import { assessChanges } from '../../plan/exposure/assess.ts';
import { catalog } from '../../schema/kinds/index.ts';
import { todayOf } from '../project/input.ts';
import { rulesOf } from '../project/workspace.ts';
import type { Run } from './run.ts';

type Live = ReadonlyMap<Address, Resource>;

/** What changes mean for principals now, and what the project as it is now says against it. */
export function assessNow(
  { host, workspace, gateway, parallelism, latencyMs }: Run,
  live: Live,
  changes: readonly Change[],
  accepted: readonly string[] = [],
): ReturnType<typeof assessChanges> & { readonly problems: readonly Problem[] } {
  const { kinds } = catalog;
  const rules = rulesOf(workspace);
  const today = todayOf(host);
  const { known } = workspace.secrets;
  const { effects, exposures, weakenings } = assessChanges(live, changes, kinds, rules.protection, known);
  const bounds = boundsFor(gateway.parallelism, parallelism);
  const timed = timeExposures(exposures, changes, bounds, latencyMs());
  const acceptance = { ...rules, accepted, today };
  const marked = markAccepted(timed, acceptance);
  const weaker = markAccepted(weakenings, acceptance);
  const own = new Map(
    changes.flatMap((change) => (isStep(change) ? [] : [[change.address, change] as const])),
  );
  const world = { changes: own, desired: new Map(), removals: [], rules, today };
  const found = [
    ...checkExposures({ exposures: marked, ...world }),
    ...checkWeakenings({ weakenings: weaker, ...world }),
  ];
  return {
    effects,
    exposures: marked,
    weakenings: weaker,
    problems: applyLint(found, workspace.project.lint),
  };
}

/** Who is without protection since a run has made some of its changes, and not all: `before` is what it found. */
export function findUnprotected(
  { workspace }: Run,
  before: Live | undefined,
  changes: readonly Change[],
  entries: readonly Entry[],
): readonly Exposure[] {
  const outcomes = new Map(entries.map((entry) => [entry.id, entry]));
  const isComplete = entries.every(({ outcome }) => outcome === 'done' || outcome === 'already');
  if (before === undefined || isComplete) return [];
  const start = new Map(before);
  for (const change of [...changes].reverse())
    if (outcomes.get(idOf(change))?.outcome === 'already') revert(start, change);
  const made = changes.flatMap((change): readonly Change[] => {
    const entry = outcomes.get(idOf(change));
    if (entry?.outcome === 'done' || entry?.outcome === 'already') return [change];
    const isHalf = change.action === 'replace' && entry?.outcome === 'failed' && entry.changed === true;
    return isHalf ? [{ ...change, action: 'delete' }] : [];
  });
  const { protection } = rulesOf(workspace);
  const { known } = workspace.secrets;
  const { exposures } = assessChanges(start, made, catalog.kinds, protection, known);
  return exposures.filter(({ lasting }) => lasting);
}

/** Puts back what was there before a change that an earlier run has made. */
function revert(state: Map<Address, Resource>, change: Change): void {
  if (change.action === 'create') state.delete(change.address);
  else state.set(change.address, change.before);
}
