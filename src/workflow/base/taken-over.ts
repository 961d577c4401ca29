import type { KindSet } from '../../model/kind.ts';
import type { Problem } from '../../model/problem.ts';
import type { DesiredState, LiveState } from '../../model/state.ts';
import type { BaseChanges } from '../../plan/causes/find-causes.ts';
import type { Plan } from '../../plan/change/plan.ts';
import { makePlan, type PlanOptions } from '../../plan/make-plan.ts';

const LOSSES: ReadonlySet<string> = new Set([
  'lost-protection',
  'weakened-protection',
  'unjudged-protection',
]);

/**
 * The protection that clients lose where a branch declares what somebody has changed on the gateway: nothing changes there, but the base
 * would have restored it. So the branch is planned against the gateway as the base would leave it.
 */
export function findTakenOver(
  desired: DesiredState,
  live: LiveState,
  kinds: KindSet,
  { ofBase, changes, ...options }: PlanOptions & Pick<Plan, 'changes'> & { readonly ofBase: BaseChanges },
): readonly Problem[] {
  const changed = new Set(changes.map(({ address }) => address));
  const taken = [...ofBase].filter(([address]) => !changed.has(address) && desired.has(address));
  if (taken.length === 0) return [];
  const resources = new Map(live.resources);
  for (const [address, change] of taken)
    if (change.action === 'delete') resources.delete(address);
    else resources.set(address, change.after);
  const lossesFrom = (from: LiveState): readonly Problem[] =>
    makePlan(desired, from, kinds, options).problems.filter(({ code }) => LOSSES.has(code));
  const told = new Set(lossesFrom(live).map(({ message }) => message));
  return lossesFrom({ ...live, resources })
    .filter(({ message }) => !told.has(message))
    .map((one) => ({
      ...one,
      code: 'taken-over-loss',
      message: `compared with the base, ${one.message}`,
      hint: `the gateway has this already, and the base would restore it; ${one.hint ?? ''}`,
    }));
}
