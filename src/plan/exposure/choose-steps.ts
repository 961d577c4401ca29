import type { KindSet } from '../../model/kind.ts';
import type { Address } from '../../model/resource.ts';
import { type ChangeId, idOf, isStep, type DraftChange } from '../change/plan.ts';
import { makeBridge, makeExpansion, NO_EXTRA, type Extra } from '../order/extra-steps.ts';
import { orderChanges, type OrderedChanges } from '../order/order.ts';
import { orderOf } from './assess.ts';
import { sortByPlace } from './gaps.ts';
import { isProtected, withoutSteps, type Model } from './models.ts';
import { findSafestOrder, groupStakes, type Stake } from './safest-order.ts';

/** Changes in an order, what is at stake, and what of it that order leaves open. */
type Situation = {
  readonly ordered: OrderedChanges;
  readonly stakes: readonly Stake[];
  readonly exposed: readonly Stake[];
};
type Task = {
  readonly drafts: readonly DraftChange[];
  readonly kinds: KindSet;
  /** Whether a name is used, on the gateway or in files. */
  readonly isTaken: (address: Address) => boolean;
};
/** What one object gets, by the id of its own change. */
type Choice = { readonly own: ChangeId; readonly address: Address; readonly as: keyof Extra };

/**
 * The objects whose updates get extra steps, so that the exposed stakes have a safe order. Each is needed; none where the
 * stakes that depend on each other would still be exposed.
 */
export function chooseSteps(
  { drafts, kinds, isTaken }: Task,
  { ordered, stakes, exposed }: Situation,
  stakesOf: (ordered: OrderedChanges) => readonly Stake[],
): Extra {
  const models = groupStakes(stakes)
    .filter((group) => group.some((stake) => exposed.includes(stake)))
    .flatMap((group) => group.map(({ model }) => model));
  const near = new Set(models.flatMap(({ steps }) => steps));
  const moving = new Set(models.flatMap(movesOf));
  const stepped = new Set(ordered.changes.filter(isStep).map(({ address }) => address));
  const choices = drafts.flatMap((draft): readonly Choice[] => {
    const { address } = draft;
    const own = idOf(draft);
    if (!near.has(own) || stepped.has(address)) return [];
    if (moving.has(own)) return makeExpansion(draft, kinds) ? [{ own, address, as: 'expanded' }] : [];
    const bridge = makeBridge(draft, kinds);
    return bridge === undefined || isTaken(bridge.create.address) ? [] : [{ own, address, as: 'bridged' }];
  });
  if (choices.length === 0) return NO_EXTRA;
  const extended = orderChanges(drafts, kinds, [], toExtra(choices));
  if (extended.cycles.length > 0) return NO_EXTRA;
  const groups = groupStakes(stakesOf(extended), (id) => extended.owns.get(id) ?? id);
  const chosen = groups.flatMap((group) => {
    const ids = new Set(group.flatMap(({ model }) => model.steps.map((id) => extended.owns.get(id) ?? id)));
    return chooseIn(
      group,
      choices.filter(({ own }) => ids.has(own)),
      extended,
    );
  });
  return toExtra(chosen);
}

/** The changes of memberships. */
function movesOf({ memberships }: Model): readonly ChangeId[] {
  return [...memberships.values()].flatMap(({ steps }) => steps.map(({ id }) => id));
}

function toExtra(choices: readonly Choice[]): Extra {
  const of = (wanted: keyof Extra): ReadonlySet<Address> =>
    new Set(choices.flatMap(({ address, as }) => (as === wanted ? [address] : [])));
  return { expanded: of('expanded'), bridged: of('bridged') };
}

/** Those without which stakes that depend on each other have no safe order; none if they have none with them either. */
function chooseIn(
  group: readonly Stake[],
  choices: readonly Choice[],
  { changes, needs, owns }: OrderedChanges,
): readonly Choice[] {
  const order = orderOf(changes);
  const deletes = new Set(changes.filter(({ action }) => action === 'delete').map(idOf));
  const isClosed = (kept: readonly Choice[]): boolean => {
    const used = new Set(kept.map(({ own }) => own));
    const dropped = new Map([...owns].filter(([, own]) => !used.has(own)));
    const left = group.map((stake) => ({ ...stake, model: withoutSteps(stake.model, dropped) }));
    const ids = sortByPlace([...new Set(left.flatMap(({ model }) => model.steps))], order);
    const safest = findSafestOrder(ids, left, needs, (id) => deletes.has(id));
    return safest !== undefined && isSafe(safest, left);
  };
  if (choices.length === 0) return [];
  const start = [choices, ...choices.map((one) => [one])].find(isClosed);
  if (start === undefined || isClosed([])) return [];
  // A temporary object is dropped rather than an extra update.
  let kept = start;
  for (const one of [...start].sort((a, b) =>
    a.as < b.as ? -1 : a.as > b.as ? 1 : a.own < b.own ? -1 : 1,
  )) {
    const fewer = kept.filter((other) => other !== one);
    if (isClosed(fewer)) kept = fewer;
  }
  return kept;
}

/** Whether the principals have their protection after each of the changes. */
function isSafe(order: readonly ChangeId[], stakes: readonly Stake[]): boolean {
  const made = new Set<ChangeId>();
  return order.every((id) => {
    made.add(id);
    return stakes.every(({ model }) => isProtected(model, (one) => made.has(one)));
  });
}
