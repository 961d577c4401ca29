import { makeProtection, type ProtectionOf } from '../../effective/protection.ts';
import type { KindSet } from '../../model/kind.ts';
import type { Address, Resource } from '../../model/resource.ts';
import type { ProtectionRules } from '../../model/rules.ts';
import { type ChangeId, idOf, type DraftChange } from '../change/change.ts';
import type { Dependency } from '../order/dependencies.ts';
import { NO_EXTRA, type Extra } from '../order/extra-steps.ts';
import type { Graph } from '../order/graph.ts';
import { orderChanges, type OrderedChanges } from '../order/order.ts';
import { redactChains, type ChainRedaction } from '../secrets/hide-in-chains.ts';
import { assessClasses, withStrength, type Assessment, type Known, type SortsAssessment } from './assess.ts';
import { chooseSteps } from './choose-steps.ts';
import { classifyPrincipals, type Classes } from './classes.ts';
import { findGaps, orderOf } from './gaps.ts';
import type { KeptParts } from './kept-parts.ts';
import { findKept } from './passing.ts';
import { classifySteps, isProtected, ofName, type Model } from './models.ts';
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
  known: Known = {},
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
    const parts = findKept(classes.lasting, world);
    const { ordered } = closeGaps({ drafts, kinds, extra, usual, protections: parts.kept, before: keeps });
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
  /** Dependencies that the usual order has already. */
  readonly before?: readonly Dependency[];
};

function closeGaps(task: Task): Ordered {
  const { usual, protections } = task;
  const asUsual = { ordered: usual, keeps: task.before ?? [] };
  if (protections.length === 0) return asUsual;
  const order = orderOf(usual.changes);
  const open = findOpen(protections, order);
  if (open.length === 0) return asUsual;
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
  const isBetter =
    again !== undefined && findOpen(protections, orderOf(again.ordered.changes)).length < left.length;
  return isBetter ? again : reordered;
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

/** Of one name: what its steps do, and whether it gives the protection before and after. */
type Role = {
  readonly gains: readonly ChangeId[];
  readonly losses: readonly ChangeId[];
  readonly before: boolean;
  readonly after: boolean;
};

/** More pairs of changes than this are not made dependent on each other for one model. */
const MOST_PAIRS = 2000;

/**
 * Dependencies by which one name gives the protection until another one does: everything that the new one gains comes before
 * anything that the old one loses. They leave all other changes free. Left out are models where this would close a cycle.
 */
function chooseHandover(
  models: readonly Model[],
  needs: Graph,
  isDelete: (id: ChangeId) => boolean,
): readonly Dependency[] {
  const graph = new Map([...needs].map(([id, on]) => [id, new Set(on)]));
  return models.flatMap((model) => {
    const options = findOptions(model, isDelete);
    for (const { from, to } of options) {
      const added = addAll(graph, from, to);
      if (added === undefined) continue;
      return added.map(({ change, on }) => ({
        change,
        on,
        why: { type: 'keeps' as const, protection: model.protection },
      }));
    }
    return [];
  });
}

type Option = { readonly from: readonly ChangeId[]; readonly to: readonly ChangeId[] };

/**
 * The pairs of names of which one can take over from the other; first the pairs that make no delete early and tie the fewest changes
 * together.
 */
function findOptions(model: Model, isDelete: (id: ChangeId) => boolean): readonly Option[] {
  const sorts = [...classifySteps(model).values()];
  if (sorts.includes('mixed')) return [];
  const names = new Set(model.contenders.map(({ name }) => name));
  if (model.aim !== 'one' && names.size > 1) return []; // no name alone makes it so
  const roles = [...names].map((name) => roleOf(ofName(model, name)));
  const [old, next] = [roles.filter(({ before }) => before), roles.filter(({ after }) => after)];
  return old
    .flatMap(({ losses: to }) => next.map(({ gains: from }) => ({ from, to })))
    .filter(({ from, to }) => from.length * to.length <= MOST_PAIRS)
    .map((option) => ({ option, cost: costOf(option, isDelete) }))
    .sort((one, other) => one.cost - other.cost)
    .map(({ option }) => option);
}

function roleOf(model: Model): Role {
  const sorts = [...classifySteps(model)];
  const of = (wanted: string): readonly ChangeId[] =>
    sorts.flatMap(([id, sort]) => (sort === wanted ? [id] : []));
  return {
    gains: of('gain'),
    losses: of('loss'),
    before: isProtected(model, () => false),
    after: isProtected(model, () => true),
  };
}

function costOf({ from, to }: Option, isDelete: (id: ChangeId) => boolean): number {
  const early = to.some((id) => !isDelete(id)) ? from.filter(isDelete).length : 0;
  return early * MOST_PAIRS + from.length * to.length;
}

/** Makes each of `to` depend on each of `from`; undefined, and nothing changed, if that would close a cycle. */
function addAll(
  graph: Map<ChangeId, Set<ChangeId>>,
  from: readonly ChangeId[],
  to: readonly ChangeId[],
): readonly { readonly change: ChangeId; readonly on: ChangeId }[] | undefined {
  const ends = new Set(to);
  if (from.some((id) => ends.has(id)) || reaches(graph, from, ends)) return undefined;
  const pairs = to.flatMap((change) => from.map((on) => ({ change, on })));
  const added = pairs.filter(({ change, on }) => graph.get(change)?.has(on) !== true);
  for (const { change, on } of added) graph.get(change)?.add(on);
  return added;
}

/** Whether one of `starts` depends on one of `ends`. */
function reaches(
  graph: ReadonlyMap<ChangeId, ReadonlySet<ChangeId>>,
  starts: readonly ChangeId[],
  ends: ReadonlySet<ChangeId>,
): boolean {
  const found = new Set<ChangeId>();
  const open = [...starts];
  for (let id = open.pop(); id !== undefined; id = open.pop())
    for (const need of graph.get(id) ?? []) {
      if (ends.has(need)) return true;
      if (found.has(need)) continue;
      found.add(need);
      open.push(need);
    }
  return false;
}
