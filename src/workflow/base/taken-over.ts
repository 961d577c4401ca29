import type { KindSet } from '../../model/kind.ts';
import { applyLint, onlyErrors, type Lint, type Problem } from '../../model/problem.ts';
import type { DesiredState, LiveState } from '../../model/state.ts';
import type { BaseChanges } from '../../plan/causes/find-causes.ts';
import { checkExposures, checkWeakenings } from '../../plan/checks/exposures.ts';
import { planChanges, type PlanOptions } from '../../plan/make-plan.ts';
import { keysOfTold } from './judge-by-base.ts';

/**
 * The protection that clients lose where a branch declares what somebody has changed on the gateway, or no longer what somebody has deleted
 * there: nothing changes, but the base would have restored it. Or the base weakens it, too, and less. So the branch is planned against the
 * gateway as the base would leave it.
 */
export function findTakenOver(
  desired: DesiredState,
  live: LiveState,
  kinds: KindSet,
  {
    ofBase,
    told,
    lint,
    ...options
  }: PlanOptions & {
    readonly ofBase: BaseChanges;
    /** What is told of the branch, by its own rules and by those of the base. */
    readonly told: readonly Problem[];
    readonly lint: Lint;
  },
): readonly Problem[] {
  if (ofBase.size === 0) return [];
  const resources = new Map(live.resources);
  for (const [address, change] of ofBase)
    if (change.action === 'delete') resources.delete(address);
    else resources.set(address, change.after);
  const gone = [...ofBase.keys()].filter((address) => !desired.has(address) && !live.resources.has(address));
  const from = { ...live, resources };
  const { world } = planChanges(desired, from, kinds, {
    ...options,
    ...(gone.length === 0 ? {} : { prune: gone }),
  });
  // What stays is compared, not the way there, which nobody goes.
  const exposures = world.exposures?.filter(({ lasting }) => lasting) ?? [];
  const weakenings = world.weakenings?.filter(({ until }) => until === undefined) ?? [];
  const taken = [
    ...checkExposures({ ...world, exposures }),
    ...checkWeakenings({ ...world, weakenings, unjudged: 0 }),
  ];
  const known = new Set(told.flatMap(keysOfTold));
  // Where a project makes such a loss an error, it is one here, too.
  return applyLint(taken, onlyErrors(lint))
    .filter((one) => !keysOfTold(one).some((key) => known.has(key)))
    .map((one): Problem => ({
      ...one,
      code: 'taken-over-loss',
      message: `compared with the base, ${one.message}`,
      hint: `the base would restore or keep it, and this branch does not; ${one.hint ?? ''}`,
    }));
}
