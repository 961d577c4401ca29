import type { KindSet } from '../../model/kind.ts';
import { applyLint, onlyErrors, type Lint, type Problem } from '../../model/problem.ts';
import type { Address } from '../../model/resource.ts';
import type { DesiredState, LiveState } from '../../model/state.ts';
import type { BaseChanges } from '../../plan/causes/find-causes.ts';
import { checkExposures, checkWeakenings } from '../../plan/checks/exposures.ts';
import { planChanges, type PlanOptions } from '../../plan/make-plan.ts';

/**
 * The protection that clients lose where a branch declares what somebody has changed on the gateway, or no longer what somebody has deleted
 * there: nothing changes, but the base would have restored it. So the branch is planned against the gateway as the base would leave it.
 */
export function findTakenOver(
  desired: DesiredState,
  live: LiveState,
  kinds: KindSet,
  { ofBase, lint, ...options }: PlanOptions & { readonly ofBase: BaseChanges; readonly lint: Lint },
): readonly Problem[] {
  if (ofBase.size === 0) return [];
  const resources = new Map(live.resources);
  for (const [address, change] of ofBase)
    if (change.action === 'delete') resources.delete(address);
    else resources.set(address, change.after);
  const lossesFrom = (from: LiveState, prune?: readonly Address[]): readonly Problem[] => {
    const { world } = planChanges(desired, from, kinds, { ...options, ...(prune && { prune }) });
    // What stays is compared, not the way there, which nobody goes.
    const exposures = world.exposures?.filter(({ lasting }) => lasting) ?? [];
    const weakenings = world.weakenings?.filter(({ until }) => until === undefined) ?? [];
    return [
      ...checkExposures({ ...world, exposures }),
      ...checkWeakenings({ ...world, weakenings, unjudged: 0 }),
    ];
  };
  const told = new Set(lossesFrom(live).map(({ message }) => message));
  const gone = [...ofBase.keys()].filter((address) => !desired.has(address) && !live.resources.has(address));
  const taken = lossesFrom({ ...live, resources }, gone.length === 0 ? undefined : gone);
  // Where a project makes such a loss an error, it is one here, too.
  return applyLint(taken, onlyErrors(lint))
    .filter(({ message }) => !told.has(message))
    .map((one): Problem => ({
      ...one,
      code: 'taken-over-loss',
      message: `compared with the base, ${one.message}`,
      hint: `the base would restore it, and this branch does not; ${one.hint ?? ''}`,
    }));
}
