import type { KindSet } from '../../model/kind.ts';
import type { Problem } from '../../model/problem.ts';
import type { Rules } from '../../model/rules.ts';
import type { LiveState } from '../../model/state.ts';
import { checkOwnership } from '../saved/guard-plan.ts';
import { isStep, type Change } from '../change/plan.ts';
import { isBuiltIn, makeMatcher } from '../change/select.ts';
import { checkWorld } from '../checks/checks.ts';
import { countKinds } from '../checks/limits.ts';

/** Checks an undo. It has no files: managed objects are those that the rules match in `live` and those of the run. */
export function guardUndo(
  changes: readonly Change[],
  live: LiveState,
  rules: Rules,
  kinds: KindSet,
): readonly Problem[] {
  const own = new Map(changes.flatMap((change) => (isStep(change) ? [] : [[change.address, change]])));
  const isManaged = rules.manages === undefined ? () => false : makeMatcher(rules.manages, kinds);
  const managed = [...live.resources.keys()].filter(
    (address) => own.has(address) || (isManaged(address) && !isBuiltIn(address, kinds)),
  );
  const found = checkWorld({
    desired: new Map(),
    removals: [],
    rules,
    kinds,
    live,
    changes: own,
    cycles: [],
    managed: countKinds(managed),
    selection: { target: [], exclude: [] },
    isSelected: () => true,
    ignored: [],
    unusedRules: [],
  });
  return [...checkOwnership(own, rules, kinds), ...found];
}
