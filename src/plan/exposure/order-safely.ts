import { makeProtection } from '../../effective/protection.ts';
import type { KindSet } from '../../model/kind.ts';
import type { Address, Resource } from '../../model/resource.ts';
import type { ProtectionRules } from '../../model/rules.ts';
import type { ChangeId } from '../change/change-id.ts';
import { idOf, type DraftChange } from '../change/plan.ts';
import type { Dependency } from '../order/dependencies.ts';
import { NO_EXTRA, type Extra } from '../order/extra-steps.ts';
import { orderChanges, type OrderedChanges } from '../order/order.ts';
import { assessClasses, orderOf, type Assessment } from './assess.ts';
import { classifyPrincipals, type PrincipalClass } from './classes.ts';
import { chooseSteps } from './choose-steps.ts';
import { findGaps, sortByPlace } from './gaps.ts';
import { redactChains, type KnownSecrets } from '../secrets/hide-in-chains.ts';
import { chooseHandover } from './handover.ts';
import { chainUp, findSafestOrder } from './safest-order.ts';
import { findExposed, findOpen, findStakes, groupStakes, type Stake } from './stakes.ts';

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
  isTaken: (address: Address) => boolean = () => false,
  known: KnownSecrets = {},
): SafeOrder {
  const protectionOf = makeProtection(protection);
  const classify = ({ changes }: OrderedChanges): readonly PrincipalClass[] =>
    classifyPrincipals(live, changes, kinds);
  const stakesOf = (ordered: OrderedChanges): readonly Stake[] => findStakes(classify(ordered), protectionOf);
  const attempt = (extra: Extra): Attempt => {
    const usual = orderChanges(drafts, kinds, [], extra);
    const classes = classify(usual);
    const task = { drafts, kinds, extra, usual, stakes: findStakes(classes, protectionOf) };
    const ordered = usual.cycles.length > 0 ? usual : closeGaps(task);
    const isSame = ordered.changes.length === usual.changes.length;
    const now = isSame ? classes : classify(ordered);
    const redaction = redactChains(live, ordered.changes, kinds, known);
    return { ordered, assessment: assessClasses(now, ordered.changes, protectionOf, redaction) };
  };

  const plain = attempt(NO_EXTRA);
  const { ordered } = plain;
  let best = plain;
  if (ordered.cycles.length === 0 && countGaps(plain) > 0) {
    const stakes = stakesOf(ordered);
    const exposed = findExposed(stakes, orderOf(ordered.changes));
    const addresses = new Set(drafts.map(({ address }) => address));
    const isUsed = (address: Address): boolean =>
      live.has(address) || addresses.has(address) || isTaken(address);
    const task = { drafts, kinds, isTaken: isUsed };
    const extra = chooseSteps(task, { ordered, stakes, exposed }, stakesOf);
    const wider = extra.expanded.size + extra.bridged.size === 0 ? plain : attempt(extra);
    if (wider.ordered.cycles.length === 0 && countGaps(wider) < countGaps(plain)) best = wider;
  }
  return { ...best.ordered, ...best.assessment };
}

/** An order of changes, and what it means for principals. */
type Attempt = { readonly ordered: OrderedChanges; readonly assessment: Assessment };

/** How many principals lack protection on the way, and how often. */
function countGaps({ assessment }: Attempt): number {
  return assessment.exposures.filter(({ lasting }) => !lasting).length;
}

type Task = {
  readonly drafts: readonly DraftChange[];
  readonly kinds: KindSet;
  readonly extra: Extra;
  readonly usual: OrderedChanges;
  readonly stakes: readonly Stake[];
};

function closeGaps(task: Task): OrderedChanges {
  const { usual, stakes } = task;
  const order = orderOf(usual.changes);
  const open = findOpen(stakes, order);
  if (open.length === 0) return usual;
  const deletes = new Set(usual.changes.filter(({ action }) => action === 'delete').map(idOf));
  const isDelete = (id: ChangeId): boolean => deletes.has(id);
  const models = open.map(({ model }) => model);
  const handover = chooseHandover(models, usual.needs, isDelete);
  const reordered = reorder(task, handover) ?? { ordered: usual, keeps: [] };
  const left = findOpen(stakes, orderOf(reordered.ordered.changes));
  if (left.length === 0) return reordered.ordered;

  const search = (group: readonly Stake[]): readonly Dependency[] => {
    const ids = sortByPlace([...new Set(group.flatMap(({ model }) => model.steps))], order);
    const safest = findSafestOrder(ids, group, usual.needs, isDelete);
    return safest === undefined ? [] : chainUp(safest, protectionOf(group));
  };
  const ownOf = (id: ChangeId): ChangeId => usual.owns.get(id) ?? id;
  const chains = groupStakes(stakes, ownOf)
    .filter((group) => group.some((stake) => left.includes(stake)))
    .flatMap((group) => {
      const all = search(group);
      // Of very many changes, those that are still open may be few.
      return all.length > 0
        ? all
        : groupStakes(
            group.filter((stake) => left.includes(stake)),
            ownOf,
          ).flatMap(search);
    });
  const chained = new Set(chains.map(({ change }) => change));
  const others = handover.filter(({ change, on }) => !chained.has(change) && !chained.has(on));
  const again = reorder(task, [...others, ...chains]);
  const isBetter =
    again !== undefined && findOpen(stakes, orderOf(again.ordered.changes)).length < left.length;
  return settle(task, isBetter ? again : reordered);
}

/** Where there are too many orders to look at each, a run takes only one of them: what it exposes is known then. */
function settle(task: Task, { ordered, keeps }: Ordered): OrderedChanges {
  const order = orderOf(ordered.changes);
  const unsure = task.stakes.filter(({ model }) => !findGaps(model, order).isComplete);
  const chains = groupStakes(unsure, (id) => ordered.owns.get(id) ?? id).flatMap((group) => {
    const ids = sortByPlace([...new Set(group.flatMap(({ model }) => model.steps))], order);
    return chainUp(ids, protectionOf(group));
  });
  return chains.length === 0 ? ordered : (reorder(task, [...keeps, ...chains])?.ordered ?? ordered);
}

function protectionOf([first]: readonly Stake[]): string {
  return first?.model.protection ?? '';
}

/** An order, and the dependencies that make it. */
type Ordered = { readonly ordered: OrderedChanges; readonly keeps: readonly Dependency[] };

/** The order with more dependencies; undefined if they cannot be kept. */
function reorder({ drafts, kinds, extra }: Task, keeps: readonly Dependency[]): Ordered | undefined {
  const ordered = orderChanges(drafts, kinds, keeps, extra);
  return ordered.cycles.length === 0 ? { ordered, keeps } : undefined;
}
