import type { KindSet } from '../../model/kind.ts';
import type { Problem } from '../../model/problem.ts';
import type { Limited, Rules } from '../../model/rules.ts';
import type { LiveState } from '../../model/state.ts';
import { checkLimits, countKinds } from '../checks/limits.ts';
import { isStep, type Change } from '../change/plan.ts';
import { checkProtection } from '../checks/protection.ts';
import { isBuiltIn, makeMatcher } from '../change/select.ts';

/**
 * Where an undo would harm what a rule protects, or touch more than a run may. No file declares anything for it: managed
 * is what the rules say of what is `live`, and what the run has touched. `limits` take the place of those in the rules.
 */
export function guardUndo(
  changes: readonly Change[],
  live: LiveState,
  rules: Rules,
  kinds: KindSet,
  limits: Limited = {},
): readonly Problem[] {
  const touched = new Set(changes.map(({ address }) => address));
  const isManaged = rules.manages === undefined ? () => false : makeMatcher(rules.manages, kinds);
  const managed = [...live.resources.keys()].filter(
    (address) => touched.has(address) || (isManaged(address) && !isBuiltIn(address, kinds)),
  );
  const own = changes.filter((change) => !isStep(change));
  const about = { desired: new Map(), removals: [], protect: rules.protect ?? [], kinds };
  return [
    ...checkProtection(own, about),
    ...checkLimits({ changes, managed: countKinds(managed) }, { ...rules.limits, ...limits }),
  ];
}
