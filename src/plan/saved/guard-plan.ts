import type { KindSet } from '../../model/kind.ts';
import type { Problem } from '../../model/problem.ts';
import { compileRules } from '../../model/text/glob.ts';
import { list } from '../../model/text/list.ts';
import { kindOf } from '../../model/resource.ts';
import type { Rules } from '../../model/rules.ts';
import type { LiveState } from '../../model/state.ts';
import { groupBy } from '../../model/collect.ts';
import { isBuiltIn, makeMatcher } from '../change/select.ts';
import { isStep, type Change } from '../change/plan.ts';
import { checkLimits } from '../checks/limits.ts';
import { checkProtection } from '../checks/protection.ts';
import type { SavedPlan } from './saved-plan.ts';

/**
 * Checks changes of a saved plan against the rules of the project as it is now. Limits in percent refer to `claimed`, the
 * objects that were managed when it was made, as far as they are in `live`.
 */
export function guardPlan(
  claimed: SavedPlan['managed'],
  all: readonly Change[],
  live: LiveState,
  rules: Rules,
  kinds: KindSet,
): readonly Problem[] {
  const changes = new Map(all.flatMap((change) => (isStep(change) ? [] : [[change.address, change]])));
  const found = groupBy(
    [...live.resources.keys()].filter((address) => !isBuiltIn(address, kinds)),
    kindOf,
  );
  const managed = Object.fromEntries(
    Object.entries(claimed).map(([kind, count]) => [kind, Math.min(count, found.get(kind)?.length ?? 0)]),
  );
  return [
    ...checkOwnership(changes, rules, kinds),
    ...checkProtection({ changes, desired: new Map(), removals: [], rules, kinds }),
    ...checkLimits({ changes, managed, rules }),
  ];
}

/** Changes of what the project does not manage, or others do. */
export function* checkOwnership(
  changes: ReadonlyMap<Change['address'], Change>,
  { manages, external = [] }: Rules,
  kinds: KindSet,
): Generator<Problem> {
  const isManaged = manages === undefined ? () => true : makeMatcher(manages, kinds);
  const rulesFor = compileRules(external, (rule) => rule.address);
  for (const { address, action } of changes.values()) {
    if (!isManaged(address))
      yield {
        code: 'not-managed',
        severity: 'error',
        message: `the plan would ${action} ${address}, which is not matched by manages: ${list(manages ?? [])}`,
        address,
        hint: 'use the same --manages as for plan, or plan again',
      };
    const [found] = rulesFor(address);
    if (found !== undefined)
      yield {
        code: 'contradiction',
        severity: 'error',
        message: `the plan would ${action} ${address}, which is external: others manage it`,
        at: found.place,
        address,
        hint: 'plan again',
      };
  }
}
