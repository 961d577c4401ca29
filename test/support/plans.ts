import { identify } from '../../src/model/identity.ts';
import { hasErrors } from '../../src/model/problem.ts';
import type { Resource } from '../../src/model/resource.ts';
import type { Removal } from '../../src/model/rules.ts';
import type { DesiredState, LiveState } from '../../src/model/state.ts';
import { encodePlan } from '../../src/plan/saved/decode-plan.ts';
import { makePlan } from '../../src/plan/make-plan.ts';
import type { Plan } from '../../src/plan/change/plan.ts';
import type { SavedPlan } from '../../src/plan/saved/saved-plan.ts';
import type { ShownPlan } from '../../src/plan/secrets/redact.ts';
import { NO_PAINT } from '../../src/report/text/layout.ts';
import { renderText } from '../../src/report/formats.ts';
import { makePlanReport } from '../../src/outcome/plan.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { printYaml } from '../../src/schema/yaml/print.ts';
import { stateOf } from './expect-problems.ts';
import { kindOf } from './kinds.ts';

/** A plan with the kinds of the gateway: from these live resources to what the files ask for. */
export function planFor(
  file: string,
  live: readonly Resource[],
  variables: Readonly<Record<string, string>> = {},
  removals: readonly Removal[] = [],
): { readonly plan: Plan; readonly desired: DesiredState } {
  const desired = stateOf(file, { variables });
  const { value, problems } = makePlan(desired, liveStateOf(live), catalog.kinds, {
    gateway: 'memory:',
    prune: ['*'],
    removals,
  });
  if (hasErrors(problems)) throw new Error(problems.map(({ message }) => message).join('\n'));
  return { plan: value, desired };
}

/** What people see of a plan. */
export function planText(plan: ShownPlan): string {
  return [...renderText(makePlanReport(plan, plan.gateway), { paint: NO_PAINT })].join('');
}

/** What the file of a saved plan holds. */
export function textOf(saved: SavedPlan): string {
  return [...encodePlan(saved)].join('');
}

export function liveStateOf(live: readonly Resource[]): LiveState {
  return {
    resources: new Map(live.map((one) => [identify(kindOf(one.kind), one), one])),
    unavailable: new Map(),
  };
}

export function fileOf(...resources: readonly Resource[]): string {
  return printYaml(resources);
}
