import type { KindSet } from '../../model/kind.ts';
import type { Problem } from '../../model/problem.ts';
import type { Limited, Rules } from '../../model/rules.ts';
import type { LiveState } from '../../model/state.ts';
import { isStep, type Change } from '../change/plan.ts';
import { isBuiltIn, makeMatcher } from '../change/select.ts';
import { checkWorld } from '../checks/checks.ts';
import { countKinds } from '../checks/limits.ts';

/**
 * What speaks against an undo. No file declares anything for it: managed is what the rules say of what is `live`, and what
 * the run has touched. `limits` take the place of those in the rules.
 */
export function guardUndo(
  changes: readonly Change[],
  live: LiveState,
  rules: Rules,
  kinds: KindSet,
  limits: Limited = {},
): readonly Problem[] {
  const own = new Map(changes.flatMap((change) => (isStep(change) ? [] : [[change.address, change]])));
  const isManaged = rules.manages === undefined ? () => false : makeMatcher(rules.manages, kinds);
  const managed = [...live.resources.keys()].filter(
    (address) => own.has(address) || (isManaged(address) && !isBuiltIn(address, kinds)),
  );
  return checkWorld({
    desired: new Map(),
    removals: [],
    rules: { ...rules, limits: { ...rules.limits, ...limits } },
    kinds,
    live,
    changes: own,
    cycles: [],
    managed: countKinds(managed),
    isSelected: () => true,
    ignored: [],
    unusedRules: [],
  });
}
