import type { Address } from '../model/resource.ts';
import { idOf, type Change, type ChangeId } from '../plan/change/plan.ts';

/**
 * What a run does not make when some objects cannot be made: they, what waits for them, and all of stage 2 when one of
 * stage 1 is among these. `changes` stand in order.
 */
export function findExcluded(
  changes: readonly Change[],
  withheld: { has(address: Address): boolean },
): ReadonlySet<ChangeId> {
  const held = new Set<ChangeId>();
  for (const change of changes)
    if (withheld.has(change.address) || change.dependsOn.some((id) => held.has(id))) held.add(idOf(change));
  if (changes.some((change) => change.stage === 1 && held.has(idOf(change))))
    for (const change of changes) if (change.stage === 2) held.add(idOf(change));
  return held;
}
