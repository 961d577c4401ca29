import type { Diagnostic } from 'vscode-languageserver-types';
import { addTo } from '../model/collect.ts';
import type { Place } from '../model/problem.ts';
import { placeOf, type Declaration } from '../model/state.ts';
import type { Address } from '../model/resource.ts';
import type { Change } from '../plan/change/change.ts';
import type { ShownPlan } from '../plan/secrets/redact.ts';
import { fileOf } from '../schema/yaml/places.ts';
import type { Look } from './look.ts';
import { rangeOf } from './ranges.ts';

/** What a plan of one environment would change. */
export type PlanOf = {
  /** Undefined where there is only one environment. */
  readonly name: string | undefined;
  readonly plan: ShownPlan;
  readonly declared: ReadonlyMap<Address, Declaration>;
};

/** The changes of plans at the lines that make them, by the path of the file. What no file declares has no line. */
export function markPlans(plans: readonly PlanOf[]): ReadonlyMap<string, readonly Diagnostic[]> {
  const byFile = new Map<string, Diagnostic[]>();
  for (const { name, plan, declared } of plans) {
    for (const change of plan.changes) {
      const one = declared.get(change.address);
      if (one === undefined) continue;
      for (const [place, message] of linesOf(change, one))
        addTo(byFile, fileOf(place).path, {
          range: rangeOf(place),
          severity: 3,
          source: 'gwconf plan',
          message: `${name === undefined ? '' : `${name}: `}${message}`,
        });
    }
  }
  return byFile;
}

/** The lines of a change, and what each does. Extra steps of the order are part of another change. */
function linesOf(change: Change, declared: Declaration): readonly (readonly [Place, string])[] {
  if ('step' in change) return [];
  const whole = placeOf(declared, '/metadata/name');
  const { address } = change;
  switch (change.action) {
    case 'create':
      return [[whole, `create ${address}`]];
    case 'delete':
      return [];
    case 'replace':
      return [
        [whole, `delete ${address} and create it again: ${change.because.join(', ')} cannot change in place`],
      ];
    case 'update':
      return change.fields.map(({ op, path }) => [
        placeOf(declared, path),
        `${WORDS[op]} ${path} of ${address}`,
      ]);
    default:
      return change satisfies never;
  }
}

const WORDS = { add: 'add', remove: 'remove', set: 'change' };

/** Whether a gateway has an object, by the plans of the environments that declare it; undefined if some of them have no plan. */
export function isLiveBy(
  { environments }: Look,
  plans: readonly PlanOf[],
  address: Address,
): boolean | undefined {
  const planned = plans.filter(({ declared }) => declared.has(address));
  const isCreated = ({ plan }: PlanOf): boolean =>
    plan.changes.some((one) => one.action === 'create' && one.address === address);
  if (!planned.every(isCreated)) return true;
  return planned.length < environments.filter(({ declared }) => declared.has(address)).length
    ? undefined
    : false;
}
