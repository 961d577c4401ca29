import { sortsOf, type ProtectionOf } from '../../effective/protection.ts';
import { addTo } from '../../model/collect.ts';
import type { ChangeId } from '../change/change.ts';
import type { Dependency } from '../order/dependencies.ts';
import { ancestry, type Graph } from '../order/graph.ts';
import type { PrincipalClass } from './classes.ts';
import { findGaps, sortByPlace, type Order } from './gaps.ts';
import { isProtected, makeModel, type Model } from './models.ts';

/** All orders of this many changes can be looked at; of more, one is built change by change. */
const MOST_STEPS = 12;
const MOST_IN_STEPS = 100;
const MOST_LOOKS = 500_000;

/**
 * The order of changes in which the fewest principals lack protection at the fewest moments, by looking at all orders: the
 * way from no change made to all made, moment by moment, that costs least. Of many changes, each is the one that costs least
 * next; undefined where there are too many for that, too.
 */
export function findSafestOrder(
  ids: readonly ChangeId[],
  protections: readonly KeptProtection[],
  needs: Graph,
  isDelete: (id: ChangeId) => boolean,
): readonly ChangeId[] | undefined {
  if (ids.length > MOST_STEPS || protections.length * 2 ** ids.length > MOST_LOOKS)
    return buildOrder(ids, protections, needs, isDelete);
  const isAncestor = ancestry(needs);
  const before = ids.map((id) =>
    ids.reduce((mask, other, at) => (isAncestor(other, id) ? mask | (1 << at) : mask), 0),
  );
  const bits = new Map(ids.map((id, at) => [id, 1 << at]));
  const others = ids.reduce((mask, id, at) => (isDelete(id) ? mask : mask | (1 << at)), 0);
  const full = 2 ** ids.length - 1;
  const best: ({ readonly cost: number; readonly last: number } | undefined)[] = [{ cost: 0, last: -1 }];
  const costs: (number | undefined)[] = [];
  const costAt = (mask: number): number =>
    (costs[mask] ??= protections.reduce((sum, { model, principals }) => {
      const isMade = (id: ChangeId): boolean => (mask & (bits.get(id) ?? 0)) !== 0;
      return isProtected(model, isMade) ? sum : sum + principals;
    }, 0));
  for (let mask = 0; mask < full; mask += 1) {
    const here = best[mask];
    if (here === undefined) continue;
    for (const [at, id] of ids.entries()) {
      const bit = 1 << at;
      if ((mask & bit) !== 0 || (mask & (before[at] ?? 0)) !== (before[at] ?? 0)) continue;
      // Among orders that are equally safe, deletes come last.
      const early = isDelete(id) && (others & ~mask) !== 0 ? EARLY : 0;
      const cost = here.cost + costAt(mask | bit) + early;
      if (cost < (best[mask | bit]?.cost ?? Infinity)) best[mask | bit] = { cost, last: at };
    }
  }
  const order: ChangeId[] = [];
  for (let mask = full; mask > 0;) {
    const { last } = best[mask] ?? { last: -1 };
    const id = ids[last];
    if (id === undefined) return undefined; // a cycle
    order.push(id);
    mask &= ~(1 << last);
  }
  return order.reverse();
}

const EARLY = 0.001;

function buildOrder(
  ids: readonly ChangeId[],
  protections: readonly KeptProtection[],
  needs: Graph,
  isDelete: (id: ChangeId) => boolean,
): readonly ChangeId[] | undefined {
  if (ids.length > MOST_IN_STEPS || protections.length * ids.length ** 2 > MOST_LOOKS) return undefined;
  const isAncestor = ancestry(needs);
  const before = new Map(ids.map((id) => [id, ids.filter((other) => isAncestor(other, id))]));
  const made = new Set<ChangeId>();
  const costOf = (next: ChangeId): number =>
    protections.reduce(
      (sum, { model, principals }) =>
        isProtected(model, (id) => id === next || made.has(id)) ? sum : sum + principals,
      isDelete(next) ? EARLY : 0,
    );
  while (made.size < ids.length) {
    let best: { readonly id: ChangeId; readonly cost: number } | undefined;
    for (const id of ids) {
      if (made.has(id) || before.get(id)?.every((one) => made.has(one)) !== true) continue;
      const cost = costOf(id);
      if (best === undefined || cost < best.cost) best = { id, cost };
    }
    if (best === undefined) return undefined; // a cycle
    made.add(best.id);
  }
  return [...made];
}

/** Makes each of these changes wait for the one before it, which keeps a group of protections. */
export function chainUp(
  order: readonly ChangeId[],
  [first]: readonly KeptProtection[],
): readonly Dependency[] {
  const protection = first?.model.protection ?? '';
  return order.slice(1).map((change, at) => ({
    change,
    on: order[at] ?? change,
    why: { type: 'keeps', protection },
  }));
}

/** One sort of protection, or a part of it, that principals have before and after the changes, and how many they are. */
export type KeptProtection = { readonly model: Model; readonly principals: number };

export function findKeptProtections(
  classes: readonly PrincipalClass[],
  protectionOf: ProtectionOf,
): readonly KeptProtection[] {
  return classes.flatMap((one) => {
    const kept = new Set(sortsOf(one.after, protectionOf));
    return sortsOf(one.before, protectionOf)
      .filter((sort) => kept.has(sort))
      .map((sort) => ({
        model: makeModel(one, sort, (link) => protectionOf(link).includes(sort)),
        principals: one.principals.length,
      }));
  });
}

/** Protections that a run may take away for a while, or for which there are too many orders to tell. */
export function findOpen(protections: readonly KeptProtection[], order: Order): readonly KeptProtection[] {
  return protections.filter(({ model }) => {
    const { gaps, isComplete } = findGaps(model, order);
    return gaps.length > 0 || !isComplete;
  });
}

/** The changes that a group of protections depends on, in the order of the plan. */
export function stepsOf(group: readonly KeptProtection[], order: Order): readonly ChangeId[] {
  return sortByPlace([...new Set(group.flatMap(({ model }) => model.steps))], order);
}

/** Protections that depend on the same changes, directly or through others. `ownOf` names the change that an extra step is for. */
export function groupByChanges(
  protections: readonly KeptProtection[],
  ownOf: (id: ChangeId) => ChangeId = (id) => id,
): readonly (readonly KeptProtection[])[] {
  const byStep = new Map<ChangeId, KeptProtection[]>();
  for (const one of protections) for (const id of one.model.steps) addTo(byStep, ownOf(id), one);
  const seen = new Set<KeptProtection>();
  return protections.flatMap((start) => {
    if (seen.has(start)) return [];
    seen.add(start);
    const group = [start];
    for (const one of group)
      for (const id of one.model.steps) {
        const near = byStep.get(ownOf(id)) ?? [];
        byStep.delete(ownOf(id));
        for (const other of near) {
          if (seen.has(other)) continue;
          seen.add(other);
          group.push(other);
        }
      }
    return [group];
  });
}
