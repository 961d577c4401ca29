import type { KindSet } from '../../model/kind.ts';
import type { Address } from '../../model/resource.ts';
import type { ChangeId } from '../change/change-id.ts';
import { idOf, isStep, type DraftChange } from '../change/plan.ts';
import { makeExpansion } from '../order/expand.ts';
import { orderChanges, type OrderedChanges } from '../order/order.ts';
import { orderOf } from './assess.ts';
import { sortByPlace } from './gaps.ts';
import { isProtected, renameSteps } from './models.ts';
import { findSafestOrder } from './safest-order.ts';
import { groupStakes, type Stake } from './stakes.ts';

/** Changes with further extra steps, in an order of which only the needs matter, and what is at stake then. */
type Extended = { readonly ordered: OrderedChanges; readonly stakes: readonly Stake[] };

/**
 * The objects whose updates get an extra step, so that the exposed stakes have a safe order: memberships are added before others
 * are removed. Each is needed; none where the stakes that depend on each other would still be exposed.
 */
export function chooseExpansions(
  drafts: readonly DraftChange[],
  kinds: KindSet,
  { ordered, stakes, exposed }: Extended & { readonly exposed: readonly Stake[] },
  stakesOf: (ordered: OrderedChanges) => readonly Stake[],
): ReadonlySet<Address> {
  const models = groupStakes(stakes)
    .filter((group) => group.some((stake) => exposed.includes(stake)))
    .flatMap((group) => group.map(({ model }) => model));
  const near = new Set(models.flatMap((model) => model.steps));
  const moving = new Set(
    models.flatMap(({ memberships }) =>
      [...memberships.values()].flatMap(({ steps }) => steps.map(({ id }) => id)),
    ),
  );
  const stepped = new Set(ordered.changes.filter(isStep).map(({ address }) => address));
  const steps = drafts.flatMap((draft) =>
    moving.has(idOf(draft)) && !stepped.has(draft.address) ? (makeExpansion(draft, kinds) ?? []) : [],
  );
  if (steps.length === 0) return new Set();
  const extended = orderChanges(drafts, kinds, [], new Set(steps.map(({ address }) => address)));
  if (extended.cycles.length > 0) return new Set();
  const owns = ownsOf(steps.map(({ address }) => address));
  const groups = groupStakes(stakesOf(extended), (id) => owns.get(id) ?? id);
  const chosen = groups.flatMap((group) => {
    const ids = new Set(group.flatMap(({ model }) => model.steps));
    const isNear = [...ids].some((id) => near.has(owns.get(id) ?? id));
    return isNear ? chooseIn(group, owns, extended) : [];
  });
  return new Set(steps.filter((step) => chosen.includes(idOf(step))).map(({ address }) => address));
}

/** The own change of each object by its extra step. */
export function ownsOf(expanded: Iterable<Address>): ReadonlyMap<ChangeId, ChangeId> {
  return new Map(Array.from(expanded, (address) => [idOf({ address, step: 'expand' }), idOf({ address })]));
}

/** The steps without which stakes that depend on each other have no safe order; none if they have none with them either. */
function chooseIn(
  group: readonly Stake[],
  owns: ReadonlyMap<ChangeId, ChangeId>,
  { changes, needs }: OrderedChanges,
): readonly ChangeId[] {
  const order = orderOf(changes);
  const deletes = new Set(changes.filter(({ action }) => action === 'delete').map(idOf));
  const isClosed = (without: ReadonlySet<ChangeId>): boolean => {
    const left = group.map((stake) => ({
      ...stake,
      model: renameSteps(stake.model, (id) => (without.has(id) ? (owns.get(id) ?? id) : id)),
    }));
    const ids = sortByPlace([...new Set(left.flatMap(({ model }) => model.steps))], order);
    const safest = findSafestOrder(ids, left, needs, (id) => deletes.has(id));
    return safest !== undefined && isSafe(safest, left);
  };
  const all = [...new Set(group.flatMap(({ model }) => model.steps))].filter((id) => owns.has(id)).sort();
  if (all.length === 0 || !isClosed(new Set())) return [];
  const dropped = new Set<ChangeId>();
  for (const id of all) if (isClosed(new Set([...dropped, id]))) dropped.add(id);
  return all.filter((id) => !dropped.has(id));
}

/** Whether the principals have their protection after each of the changes. */
function isSafe(order: readonly ChangeId[], stakes: readonly Stake[]): boolean {
  const made = new Set<ChangeId>();
  return order.every((id) => {
    made.add(id);
    return stakes.every(({ model }) => isProtected(model, (one) => made.has(one)));
  });
}
