import { groupBy } from '../../model/collect.ts';
import type { KindSet } from '../../model/kind.ts';
import { makeProblem, type Problem } from '../../model/problem.ts';
import { kindOf } from '../../model/resource.ts';
import type { Rules } from '../../model/rules.ts';
import type { LiveState } from '../../model/state.ts';
import { compileRules } from '../../model/text/glob.ts';
import { list } from '../../model/text/list.ts';
import { findIgnored } from '../change/ignore.ts';
import { isStep, type Change } from '../change/change.ts';
import type { Plan } from '../change/plan.ts';
import { isBuiltIn, makeMatcher } from '../change/select.ts';
import { checkWorld } from './world-checks.ts';
import { isExpired } from './ownership.ts';
import { checkLimits, countKinds } from './limits.ts';
import { checkProtection } from './protection.ts';

/**
 * Checks changes of a saved plan against the rules of the project as it is now. Limits in percent refer to `claimed`, the
 * objects that were managed when it was made, as far as they are in `live`.
 */
export function guardPlan(
  claimed: Plan['managed'],
  all: readonly Change[],
  live: LiveState,
  rules: Rules,
  kinds: KindSet,
  today: string,
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
    ...checkIgnored(changes, live, rules, kinds, today),
    ...checkProtection({ changes, desired: new Map(), removals: [], rules, kinds }),
    ...checkLimits({ changes, managed, rules }),
  ];
}

/** Changes of what the project does not manage, or others do. */
function* checkOwnership(
  changes: ReadonlyMap<Change['address'], Change>,
  { manages, external = [] }: Rules,
  kinds: KindSet,
): Generator<Problem> {
  const isManaged = manages === undefined ? () => true : makeMatcher(manages, kinds);
  const rulesFor = compileRules(external, (rule) => rule.address);
  for (const { address, action } of changes.values()) {
    if (!isManaged(address))
      yield makeProblem({
        code: 'not-managed',
        message: `the plan would ${action} ${address}, which is not matched by manages: ${list(manages ?? [])}`,
        address,
        hint: 'use the same --manages as for plan, or plan again',
      });
    const [found] = rulesFor(address);
    if (found !== undefined)
      yield makeProblem({
        code: 'contradiction',
        message: `the plan would ${action} ${address}, which is external: others manage it`,
        at: found.place,
        address,
        hint: 'plan again',
      });
  }
}

/** Changes of what the project ignores by now. */
function* checkIgnored(
  changes: ReadonlyMap<Change['address'], Change>,
  live: LiveState,
  { ignore = [] }: Rules,
  kinds: KindSet,
  today: string,
): Generator<Problem> {
  const rules = ignore.filter((rule) => !isExpired(rule, today));
  for (const { address, path, rule } of findIgnored(changes.values(), live, rules, kinds)) {
    const action = changes.get(address)?.action ?? 'change';
    const would = path === undefined ? `${action} ${address}` : `change ${path} of ${address}`;
    yield makeProblem({
      code: 'stale-plan',
      message: `the plan would ${would}, which the project ignores now`,
      at: rule.place,
      address,
      hint: 'plan again',
    });
  }
}

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
