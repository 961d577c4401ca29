import { makeProtection, type ProtectionOf } from '../../effective/protection.ts';
import type { KindSet } from '../../model/kind.ts';
import type { Address, Resource } from '../../model/resource.ts';
import type { ProtectionRules } from '../../model/rules.ts';
import { type ChangeId, idOf, type DraftChange } from '../change/change.ts';
import type { Dependency } from '../order/dependencies.ts';
import { NO_EXTRA, type Extra } from '../order/extra-steps.ts';
import { orderChanges, type OrderedChanges } from '../order/order.ts';
import { redactChains, type ChainRedaction } from '../secrets/hide-in-chains.ts';
import { assessClasses, withStrength, type Assessment, type Known, type SortsAssessment } from './assess.ts';
import { chooseSteps } from './choose-steps.ts';
import { classifyPrincipals, type Classes } from './classes.ts';
import { findGaps, orderOf } from './gaps.ts';
import type { KeptParts } from './kept-parts.ts';
import { findKept } from './passing.ts';
import { chooseHandover } from './hand-over.ts';
import {
  chainUp,
  findSafestOrder,
  findOpen,
  findKeptProtections,
  groupByChanges,
  stepsOf,
  type KeptProtection,
} from './safest-order.ts';

//   usual order ──▶ gaps? ─ none ─▶ it
//                     │ handover: what one name gains comes before what another one loses; all else stays free
//                     ▼
//                   gaps? ─ none ─▶ it
//                     │ each group of changes that share a protection in its safest order: of few changes, of all orders;
//                     │ of more, change by change; of very many, as they were
//                     ▼
//                   one order is fixed where there are too many to look at each
//                     ▼
//                   gaps? ─ none ─▶ it
//                     │ extra steps: an update in two parts, or a temporary copy; from the top with them
//                     ▼
//                   the one of both with fewer gaps, which are told as exposures
//                     ▼
//                   in it, parts of protections are handed over the same way, without extra steps

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
  known: Known = {},
): OrderedChanges & Assessment {
  const protectionOf = makeProtection(protection);
  const { ordered, assessment, classes, redaction, parts } = findSafeOrder(
    drafts,
    { live, kinds, isTaken, known },
    protectionOf,
  );
  const { changes } = ordered;
  const world = { live, changes, kinds, protectionOf, redaction, topics: known.topics };
  return { ...ordered, ...withStrength(assessment, classes, world, parts) };
}

/** The same order, for those who do not tell what it means for principals. */
export function orderOnly(
  drafts: readonly DraftChange[],
  live: ReadonlyMap<Address, Resource>,
  kinds: KindSet,
  protection: ProtectionRules = {},
  known: Known,
): OrderedChanges {
  const around = { live, kinds, isTaken: () => false, known };
  return findSafeOrder(drafts, around, makeProtection(protection)).ordered;
}

type Around = {
  readonly live: ReadonlyMap<Address, Resource>;
  readonly kinds: KindSet;
  readonly isTaken: (address: Address) => boolean;
  readonly known: Known;
};

function findSafeOrder(
  drafts: readonly DraftChange[],
  { live, kinds, isTaken, known }: Around,
  protectionOf: ProtectionOf,
): TriedOrder {
  const classify = ({ changes }: OrderedChanges): Pick<TriedOrder, 'classes' | 'redaction'> => {
    const redaction = redactChains(live, changes, kinds, known);
    return { classes: classifyPrincipals({ live, changes, kinds, redaction }), redaction };
  };
  const protectionsOf = (ordered: OrderedChanges): readonly KeptProtection[] =>
    findKeptProtections(classify(ordered).classes.lasting, protectionOf);
  const attempt = (extra: Extra): TriedOrder => {
    const usual = orderChanges(drafts, kinds, [], extra);
    const first = classify(usual);
    const protections = findKeptProtections(first.classes.lasting, protectionOf);
    const task = { drafts, kinds, extra, usual, protections };
    const { ordered, keeps } =
      usual.cycles.length > 0 ? { ordered: usual, keeps: [] } : fixOrder(task, closeGaps(task));
    const isSame = ordered.changes.length === usual.changes.length;
    const now = isSame ? first : classify(ordered);
    const assessment = assessClasses(now.classes.lasting, ordered.changes, protectionOf, now.redaction);
    return { ordered, assessment, ...now, extra, keeps };
  };
  const keepParts = (tried: TriedOrder): TriedOrder => {
    const { ordered: usual, classes, redaction, extra, keeps } = tried;
    if (usual.cycles.length > 0) return tried;
    const world = { live, changes: usual.changes, kinds, protectionOf, redaction };
    const parts = findKept(classes, world);
    const wholes = findKeptProtections(classes.lasting, protectionOf);
    const task = { drafts, kinds, extra, usual, protections: parts.kept, wholes, before: keeps };
    const { ordered } = closeGaps(task);
    if (ordered === usual) return { ...tried, parts };
    const assessment = assessClasses(classes.lasting, ordered.changes, protectionOf, redaction);
    return { ...tried, ordered, assessment, parts };
  };

  const plain = attempt(NO_EXTRA);
  const { ordered } = plain;
  let best = plain;
  if (ordered.cycles.length === 0 && countGaps(plain) > 0) {
    const addresses = new Set(drafts.map(({ address }) => address));
    const isUsed = (address: Address): boolean =>
      live.has(address) || addresses.has(address) || isTaken(address);
    const extra = chooseSteps({ drafts, kinds, isTaken: isUsed }, ordered, protectionsOf);
    const wider = extra.expanded.size + extra.bridged.size === 0 ? plain : attempt(extra);
    if (wider.ordered.cycles.length === 0 && countGaps(wider) < countGaps(plain)) best = wider;
  }
  return keepParts(best);
}

/** An order of changes, and what it means for principals. */
type TriedOrder = {
  readonly ordered: OrderedChanges;
  readonly assessment: SortsAssessment;
  readonly classes: Classes;
  /** What is kept of parts of protections; absent where that was not looked for. */
  readonly parts?: KeptParts;
  readonly redaction: ChainRedaction;
  /** What makes the order. */
  readonly extra: Extra;
  readonly keeps: readonly Dependency[];
};

/** How many principals lack protection on the way, and how often. */
function countGaps({ assessment }: TriedOrder): number {
  return assessment.exposures.filter(({ lasting }) => !lasting).length;
}

type Task = {
  readonly drafts: readonly DraftChange[];
  readonly kinds: KindSet;
  readonly extra: Extra;
  readonly usual: OrderedChanges;
  readonly protections: readonly KeptProtection[];
  /** What counts for more than these, and is not opened for them. */
  readonly wholes?: readonly KeptProtection[];
  /** Dependencies that the usual order has already. */
  readonly before?: readonly Dependency[];
};

function closeGaps(task: Task): Ordered {
  const { usual, protections: wanted, wholes = [] } = task;
  const asUsual = { ordered: usual, keeps: task.before ?? [] };
  if (wanted.length === 0) return asUsual;
  const order = orderOf(usual.changes);
  const open = findOpen(wanted, order);
  if (open.length === 0) return asUsual;
  const opened = new Set(findOpen(wholes, order));
  const closed = new Set(wholes.filter((one) => !opened.has(one)));
  const protections = [...wanted, ...closed];
  const deletes = new Set(usual.changes.filter(({ action }) => action === 'delete').map(idOf));
  const isDelete = (id: ChangeId): boolean => deletes.has(id);
  const models = open.map(({ model }) => model);
  const handover = chooseHandover(models, usual.needs, isDelete);
  const reordered = reorder(task, handover) ?? asUsual;
  const left = findOpen(protections, orderOf(reordered.ordered.changes));
  if (left.length === 0) return reordered;

  const search = (group: readonly KeptProtection[]): readonly Dependency[] => {
    const safest = findSafestOrder(stepsOf(group, order), group, usual.needs, isDelete);
    return safest === undefined ? [] : chainUp(safest, group);
  };
  const ownOf = (id: ChangeId): ChangeId => usual.owns.get(id) ?? id;
  const chains = groupByChanges(protections, ownOf)
    .filter((group) => group.some((one) => left.includes(one)))
    .flatMap((group) => {
      const all = search(group);
      // Of very many changes, those that are still open may be few.
      return all.length > 0
        ? all
        : groupByChanges(
            group.filter((one) => left.includes(one)),
            ownOf,
          ).flatMap(search);
    });
  const chained = new Set(chains.map(({ change }) => change));
  const others = handover.filter(({ change, on }) => !chained.has(change) && !chained.has(on));
  const again = reorder(task, [...others, ...chains]);
  const costOf = (some: readonly KeptProtection[]): number =>
    some.some((one) => closed.has(one)) ? Infinity : some.length;
  const leftAgain = again && findOpen(protections, orderOf(again.ordered.changes));
  if (leftAgain && costOf(leftAgain) < costOf(left)) return again;
  return costOf(left) > open.length ? asUsual : reordered;
}

/** Where there are too many orders to look at each, a run takes only one of them: what it exposes is known then. */
function fixOrder(task: Task, fixed: Ordered): Ordered {
  if (task.protections.length === 0) return fixed;
  const { ordered, keeps } = fixed;
  const order = orderOf(ordered.changes);
  const unsure = task.protections.filter(({ model }) => !findGaps(model, order).isComplete);
  const chains = groupByChanges(unsure, (id) => ordered.owns.get(id) ?? id).flatMap((group) =>
    chainUp(stepsOf(group, order), group),
  );
  return chains.length === 0 ? fixed : (reorder(task, [...keeps, ...chains]) ?? fixed);
}

/** An order, and the dependencies that make it. */
type Ordered = { readonly ordered: OrderedChanges; readonly keeps: readonly Dependency[] };

/** The order with more dependencies; undefined if they cannot be kept. */
function reorder(
  { drafts, kinds, extra, before = [] }: Task,
  more: readonly Dependency[],
): Ordered | undefined {
  const keeps = [...before, ...more];
  const ordered = orderChanges(drafts, kinds, keeps, extra);
  return ordered.cycles.length === 0 ? { ordered, keeps } : undefined;
}
