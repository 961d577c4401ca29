import { makeProtection, type ProtectionOf } from '../../effective/protection.ts';
import { addTo } from '../../model/collect.ts';
import type { KindSet } from '../../model/kind.ts';
import type { Address, Resource } from '../../model/resource.ts';
import type { ProtectionRules } from '../../model/rules.ts';
import type { ChangeId } from '../change/change-id.ts';
import { idOf, type DraftChange } from '../change/plan.ts';
import type { Dependency } from '../order/dependencies.ts';
import { orderChanges, type OrderedChanges } from '../order/order.ts';
import { assessClasses, orderOf, sortsOf, type Assessment } from './assess.ts';
import { classifyPrincipals, type PrincipalClass } from './classes.ts';
import { findGaps, sortByPlace, type Order } from './gaps.ts';
import { chooseHandover } from './handover.ts';
import { makeModel } from './models.ts';
import { chainUp, findSafestOrder, type Stake } from './safest-order.ts';

export type SafeOrder = OrderedChanges & Assessment;

/**
 * Orders changes so that principals who have a sort of protection before and after the plan have it throughout, where any
 * order can do that: a new interceptor before the old one goes, a group filled before another one is emptied. What no order
 * can do is among the exposures.
 */
export function orderSafely(
  drafts: readonly DraftChange[],
  live: ReadonlyMap<Address, Resource>,
  kinds: KindSet,
  protection: ProtectionRules = {},
): SafeOrder {
  const protectionOf = makeProtection(protection);
  const usual = orderChanges(drafts, kinds);
  const classes = classifyPrincipals(live, usual.changes, kinds);
  const ordered =
    usual.cycles.length > 0 ? usual : closeGaps(drafts, kinds, usual, findStakes(classes, protectionOf));
  const isSame = ordered.changes.length === usual.changes.length;
  const now = isSame ? classes : classifyPrincipals(live, ordered.changes, kinds);
  return { ...ordered, ...assessClasses(now, ordered.changes, protectionOf) };
}

function closeGaps(
  drafts: readonly DraftChange[],
  kinds: KindSet,
  usual: OrderedChanges,
  stakes: readonly Stake[],
): OrderedChanges {
  const order = orderOf(usual.changes);
  const open = findOpen(stakes, order);
  if (open.length === 0) return usual;
  const deletes = new Set(usual.changes.filter(({ action }) => action === 'delete').map(idOf));
  const isDelete = (id: ChangeId): boolean => deletes.has(id);
  const models = open.map(({ model }) => model);
  const handover = chooseHandover(models, usual.needs, isDelete);
  const reordered = reorder(drafts, kinds, handover) ?? usual;
  const left = findOpen(stakes, orderOf(reordered.changes));
  if (left.length === 0) return reordered;

  const search = (group: readonly Stake[]): readonly Dependency[] => {
    const ids = sortByPlace([...new Set(group.flatMap(({ model }) => model.steps))], order);
    const safest = findSafestOrder(ids, group, usual.needs, isDelete);
    const about = group.find((stake) => left.includes(stake))?.model.protection ?? '';
    return safest === undefined ? [] : chainUp(safest, about);
  };
  const chains = groupStakes(stakes)
    .filter((group) => group.some((stake) => left.includes(stake)))
    .flatMap((group) => {
      const all = search(group);
      // Of very many changes, those that are still open may be few.
      return all.length > 0
        ? all
        : groupStakes(group.filter((stake) => left.includes(stake))).flatMap(search);
    });
  const chained = new Set(chains.map(({ change }) => change));
  const others = handover.filter(({ change, on }) => !chained.has(change) && !chained.has(on));
  const again = reorder(drafts, kinds, [...others, ...chains]);
  const isBetter = again !== undefined && findOpen(stakes, orderOf(again.changes)).length < left.length;
  return isBetter ? again : reordered;
}

/** The order with more dependencies; undefined if they cannot be kept. */
function reorder(
  drafts: readonly DraftChange[],
  kinds: KindSet,
  keeps: readonly Dependency[],
): OrderedChanges | undefined {
  const ordered = orderChanges(drafts, kinds, keeps);
  return ordered.cycles.length === 0 ? ordered : undefined;
}

/** What principals have before and after the changes. */
function findStakes(classes: readonly PrincipalClass[], protectionOf: ProtectionOf): readonly Stake[] {
  return classes.flatMap((one) => {
    const kept = new Set(sortsOf(one.after, protectionOf));
    return sortsOf(one.before, protectionOf)
      .filter((sort) => kept.has(sort))
      .map((sort) => ({ model: makeModel(one, sort, protectionOf), principals: one.principals.length }));
  });
}

/** Those that a run may take away for a while, or where there are too many orders to tell. */
function findOpen(stakes: readonly Stake[], order: Order): readonly Stake[] {
  return stakes.filter(({ model }) => {
    const { gaps, isComplete } = findGaps(model, order);
    return gaps.length > 0 || !isComplete;
  });
}

/** Stakes that depend on the same changes, directly or through others. */
function groupStakes(stakes: readonly Stake[]): readonly (readonly Stake[])[] {
  const byStep = new Map<ChangeId, Stake[]>();
  for (const stake of stakes) for (const id of stake.model.steps) addTo(byStep, id, stake);
  const seen = new Set<Stake>();
  return stakes.flatMap((start) => {
    if (seen.has(start)) return [];
    seen.add(start);
    const group = [start];
    for (const stake of group)
      for (const id of stake.model.steps) {
        const near = byStep.get(id) ?? [];
        byStep.delete(id);
        for (const one of near) {
          if (seen.has(one)) continue;
          seen.add(one);
          group.push(one);
        }
      }
    return [group];
  });
}
