import type { KindSet } from '../../model/kind.ts';
import type { Address } from '../../model/resource.ts';
import { type ChangeId, idOf, isStep, type DraftChange } from '../change/change.ts';
import { makeBridge, makeExpansion, NO_EXTRA, type Extra } from '../order/extra-steps.ts';
import { orderChanges, type OrderedChanges } from '../order/order.ts';
import { findGaps, orderOf } from './gaps.ts';
import { isProtected, withoutSteps, type Model } from './models.ts';
import { findSafestOrder, groupByChanges, stepsOf, type KeptProtection } from './safest-order.ts';

type Task = {
  readonly drafts: readonly DraftChange[];
  readonly kinds: KindSet;
  /** Whether a name is used, on the gateway or in files. */
  readonly isTaken: (address: Address) => boolean;
};
/** What one object gets, by the id of its own change. */
type Choice = { readonly own: ChangeId; readonly address: Address; readonly as: keyof Extra };

/**
 * The objects whose updates get extra steps, so that the protections that principals lack for a while in an order have a safe one. Each
 * is needed; none where protections of the same changes would still be exposed.
 */
export function chooseSteps(
  { drafts, kinds, isTaken }: Task,
  ordered: OrderedChanges,
  protectionsOf: (ordered: OrderedChanges) => readonly KeptProtection[],
): Extra {
  const usual = orderOf(ordered.changes);
  const models = groupByChanges(protectionsOf(ordered))
    .filter((group) => group.some(({ model }) => findGaps(model, usual).gaps.length > 0))
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
  const groups = groupByChanges(protectionsOf(extended), (id) => extended.owns.get(id) ?? id);
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

/** The changes of groups. */
function movesOf({ memberships }: Model): readonly ChangeId[] {
  return [...memberships.values()].flatMap(({ steps, isFixed }) =>
    isFixed === true ? [] : steps.map(({ id }) => id),
  );
}

function toExtra(choices: readonly Choice[]): Extra {
  const of = (wanted: keyof Extra): ReadonlySet<Address> =>
    new Set(choices.flatMap(({ address, as }) => (as === wanted ? [address] : [])));
  return { expanded: of('expanded'), bridged: of('bridged') };
}

/** The choices that a safe order for protections of the same changes needs; none if there is no such order with all of them. */
function chooseIn(
  group: readonly KeptProtection[],
  choices: readonly Choice[],
  { changes, needs, owns }: OrderedChanges,
): readonly Choice[] {
  const order = orderOf(changes);
  const deletes = new Set(changes.filter(({ action }) => action === 'delete').map(idOf));
  const isClosed = (kept: readonly Choice[]): boolean => {
    const used = new Set(kept.map(({ own }) => own));
    const dropped = new Map([...owns].filter(([, own]) => !used.has(own)));
    const left = group.map((one) => ({ ...one, model: withoutSteps(one.model, dropped) }));
    const safest = findSafestOrder(stepsOf(left, order), left, needs, (id) => deletes.has(id));
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
function isSafe(order: readonly ChangeId[], protections: readonly KeptProtection[]): boolean {
  const made = new Set<ChangeId>();
  return order.every((id) => {
    made.add(id);
    return protections.every(({ model }) => isProtected(model, (one) => made.has(one)));
  });
}
