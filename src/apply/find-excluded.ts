import type { Address } from '../model/resource.ts';
import { idOf, type Change, type ChangeId } from '../plan/change/plan.ts';

/**
 * The changes that a run does not make because some objects are excluded: their own, those that depend on them, and all
 * of stage 2 if one of stage 1 is among them. `changes` are in plan order.
 */
export function findExcluded(
  changes: readonly Change[],
  excluded: { has(address: Address): boolean },
): ReadonlySet<ChangeId> {
  const found = new Set<ChangeId>();
  for (const change of changes)
    if (excluded.has(change.address) || change.dependsOn.some((id) => found.has(id))) found.add(idOf(change));
  if (changes.some((change) => change.stage === 1 && found.has(idOf(change))))
    for (const change of changes) if (change.stage === 2) found.add(idOf(change));
  return found;
}
