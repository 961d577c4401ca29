import type { KindSet, RiskSort } from '../../model/kind.ts';
import { withDefaults } from '../../model/normal/normal-form.ts';
import { kindOf, type Address } from '../../model/resource.ts';
import { afterOf, beforeOf, isStep, type Change } from './plan.ts';

/** A consequence of a change that deserves a look before others; it holds no value of the resource. */
export type Risk = { readonly address: Address; readonly risk: RiskSort; readonly message: string };

/** The risks of changes, in their order. */
export function risksOf(changes: readonly Change[], kinds: KindSet): readonly Risk[] {
  return changes.flatMap((change): readonly Risk[] => {
    const { address, action } = change;
    const kind = kinds.get(kindOf(address));
    if (kind === undefined || isStep(change)) return [];
    const isGone = action === 'delete' || action === 'replace';
    const lost: readonly Risk[] =
      isGone && kind.holds !== undefined
        ? [{ address, risk: 'data-loss', message: `is deleted with ${kind.holds}` }]
        : [];
    if (kind.risks === undefined || (action === 'delete' && change.movedTo !== undefined)) return lost;
    const [before, after] = [beforeOf(change), afterOf(change)].map((resource) =>
      resource === undefined ? undefined : withDefaults(kind, resource),
    );
    return [...lost, ...kind.risks(before, after).map((found) => ({ address, ...found }))];
  });
}
