import type { ProtectionOf } from '../../effective/protection.ts';
import { addTo } from '../../model/collect.ts';
import type { ChangeId } from '../change/change-id.ts';
import { sortsOf } from './assess.ts';
import type { PrincipalClass } from './classes.ts';
import { findGaps, type Order } from './gaps.ts';
import { makeModel, type Model } from './models.ts';

/** One sort of protection that principals have before and after the changes, and how many they are. */
export type Stake = { readonly model: Model; readonly principals: number };

export function findStakes(classes: readonly PrincipalClass[], protectionOf: ProtectionOf): readonly Stake[] {
  return classes.flatMap((one) => {
    const kept = new Set(sortsOf(one.after, protectionOf));
    return sortsOf(one.before, protectionOf)
      .filter((sort) => kept.has(sort))
      .map((sort) => ({ model: makeModel(one, sort, protectionOf), principals: one.principals.length }));
  });
}

/** Those that a run may take away for a while, or where there are too many orders to tell. */
export function findOpen(stakes: readonly Stake[], order: Order): readonly Stake[] {
  return stakes.filter(({ model }) => {
    const { gaps, isComplete } = findGaps(model, order);
    return gaps.length > 0 || !isComplete;
  });
}

/** Those of which it is known that a run may take them away for a while. */
export function findExposed(stakes: readonly Stake[], order: Order): readonly Stake[] {
  return stakes.filter(({ model }) => findGaps(model, order).gaps.length > 0);
}

/** Stakes that depend on the same changes, directly or through others. `ownOf` names the change that an extra step is for. */
export function groupStakes(
  stakes: readonly Stake[],
  ownOf: (id: ChangeId) => ChangeId = (id) => id,
): readonly (readonly Stake[])[] {
  const byStep = new Map<ChangeId, Stake[]>();
  for (const stake of stakes) for (const id of stake.model.steps) addTo(byStep, ownOf(id), stake);
  const seen = new Set<Stake>();
  return stakes.flatMap((start) => {
    if (seen.has(start)) return [];
    seen.add(start);
    const group = [start];
    for (const stake of group)
      for (const id of stake.model.steps) {
        const near = byStep.get(ownOf(id)) ?? [];
        byStep.delete(ownOf(id));
        for (const one of near) {
          if (seen.has(one)) continue;
          seen.add(one);
          group.push(one);
        }
      }
    return [group];
  });
}
