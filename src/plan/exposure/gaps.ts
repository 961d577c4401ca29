import { type ChangeId, idOf, type Change } from '../change/change.ts';
import { ancestry } from '../order/graph.ts';
import { byName, classifySteps, isProtected, type Model } from './models.ts';

/** Between two changes of a plan principals lack a protection that they have before and after it. */
type Gap = { readonly from: ChangeId; readonly until: ChangeId };

/** The order of the plan, and what of it every run keeps. */
export type Order = {
  readonly placeOf: (id: ChangeId) => number;
  readonly stageOf: (id: ChangeId) => 1 | 2;
  /** Whether one change is always made before another. */
  readonly isBefore: (one: ChangeId, other: ChangeId) => boolean;
};

/** A run keeps `dependsOn`, and makes all of stage 1 before stage 2. Other changes come in any order. */
export function orderOf(changes: readonly Change[]): Order {
  const places = new Map(changes.map((change, at) => [idOf(change), at]));
  const stages = new Map(changes.map((change) => [idOf(change), change.stage]));
  const isAncestor = ancestry(new Map(changes.map((change) => [idOf(change), change.dependsOn])));
  const stageOf = (id: ChangeId): 1 | 2 => stages.get(id) ?? 1;
  return {
    placeOf: (id) => places.get(id) ?? -1,
    stageOf,
    isBefore: (one, other) => stageOf(one) < stageOf(other) || isAncestor(one, other),
  };
}

/** How many moments are looked at for one sort of protection of principals with the same interceptors. */
const MOST_PREFIXES = 4096;
const MOST_COMPARISONS = 100_000;

/**
 * The gaps of a run, in all orders in which it can make the changes; those in flight together can end in any order. `model` is
 * protected before and after the plan. Not complete where there are too many orders to look at each.
 */
export function findGaps(
  model: Model,
  order: Order,
): { readonly gaps: readonly Gap[]; readonly isComplete: boolean } {
  if (isSafeByParts(model, order)) return { gaps: [], isComplete: true };
  const ids = sortByPlace(model.steps, order);
  const { prefixes, isComplete } = findPrefixes(ids, order);
  const gaps = new Map<ChangeId, Gap>();
  for (const prefix of prefixes) {
    if (isProtected(model, prefix.isMade)) continue;
    const gap = gapAround(prefix, model, ids);
    if (!gaps.has(gap.from)) gaps.set(gap.from, gap);
  }
  return { gaps: [...gaps.values()], isComplete };
}

/** Whether it can be told without the moments of all names together. */
function isSafeByParts(model: Model, order: Order): boolean {
  if (isMonotone(model, order)) return true;
  const names = byName(model);
  if (names.length < 2 || typeof model.aim === 'function') return false;
  const isSafe = (one: Model): boolean => isSafeName(one, order);
  return model.aim === 'one' ? names.some(isSafe) : names.every(isSafe);
}

/** Whether one name alone gives the protection throughout, or does nothing against it. */
function isSafeName(model: Model, order: Order): boolean {
  if (!isProtected(model, () => false) || !isProtected(model, () => true)) return false;
  if (isMonotone(model, order)) return true;
  const { prefixes, isComplete } = findPrefixes(sortByPlace(model.steps, order), order);
  return isComplete && prefixes.every(({ isMade }) => isProtected(model, isMade));
}

/** Whether everything that adds protection comes before everything that takes some away: both ends are protected, so all is. */
function isMonotone(model: Model, { isBefore, stageOf }: Order): boolean {
  const sorts = classifySteps(model);
  const of = (wanted: string, stage: 1 | 2): readonly ChangeId[] =>
    [...sorts].flatMap(([id, sort]) => (sort === wanted && stageOf(id) === stage ? [id] : []));
  if ([...sorts.values()].includes('mixed')) return false;
  // Stage 1 comes before stage 2, so only changes of one stage are compared.
  if (of('gain', 2).length > 0 && of('loss', 1).length > 0) return false;
  return ([1, 2] as const).every((stage) => {
    const [gains, losses] = [of('gain', stage), of('loss', stage)];
    if (gains.length * losses.length > MOST_COMPARISONS) return false;
    return losses.every((loss) => gains.every((gain) => isBefore(gain, loss)));
  });
}

/** The gap that a moment is in, along the way there and then in the order of the plan. */
function gapAround(prefix: Prefix, model: Model, ids: readonly ChangeId[]): Gap {
  const made = new Set<ChangeId>();
  const isMade = (id: ChangeId): boolean => made.has(id);
  let from: ChangeId | undefined;
  for (const id of prefix.way()) {
    made.add(id);
    if (isProtected(model, isMade)) from = undefined;
    else from ??= id;
  }
  for (const id of ids) {
    if (made.has(id)) continue;
    made.add(id);
    if (from !== undefined && isProtected(model, isMade)) return { from, until: id };
  }
  throw new Error('a gap does not end, though the clients are protected after the plan');
}

export function sortByPlace(ids: readonly ChangeId[], { placeOf }: Order): readonly ChangeId[] {
  return [...ids].sort((one, other) => placeOf(one) - placeOf(other));
}

/** Changes that can have been made at one moment of a run, while the others have not. */
type Prefix = {
  readonly isMade: (id: ChangeId) => boolean;
  /** An order in which they can be made. */
  readonly way: () => readonly ChangeId[];
};
type Prefixes = {
  readonly prefixes: readonly Prefix[];
  /** Whether there are no others. */
  readonly isComplete: boolean;
};

const MOST_BITS = 30;
const MOST_IN_CHAIN = 300;

/** The moments of a run, as far as these changes are concerned. `ids` are in an order in which they can be made. */
function findPrefixes(ids: readonly ChangeId[], { isBefore }: Order): Prefixes {
  const all: Prefixes = { prefixes: alongOrder(ids), isComplete: false };
  if (ids.length > MOST_IN_CHAIN) return all;
  const needs = ids.map((id, at) =>
    ids.slice(0, at).flatMap((other, earlier) => (isBefore(other, id) ? [earlier] : [])),
  );
  if (needs.every((list, at) => list.length === at)) return { ...all, isComplete: true };
  const found = ids.length > MOST_BITS ? undefined : findSubsets(ids, needs);
  if (found?.isComplete === true) return found;
  return { prefixes: [...all.prefixes, ...ids.map((_, at) => withNeeds(ids, needs, at))], isComplete: false };
}

/** The first moment at which a change is made. */
function withNeeds(ids: readonly ChangeId[], needs: readonly (readonly number[])[], at: number): Prefix {
  const places = [...(needs[at] ?? []), at];
  const made = new Set(places.map((place) => ids[place]));
  return { isMade: (id) => made.has(id), way: () => ids.filter((id) => made.has(id)) };
}

/** The moments if each change is made after the one before it. */
function alongOrder(ids: readonly ChangeId[]): readonly Prefix[] {
  const places = new Map(ids.map((id, at) => [id, at]));
  return [...ids, undefined].map((_, count) => ({
    isMade: (id) => (places.get(id) ?? count) < count,
    way: () => ids.slice(0, count),
  }));
}

function findSubsets(ids: readonly ChangeId[], needs: readonly (readonly number[])[]): Prefixes {
  const bits = new Map(ids.map((id, at) => [id, 1 << at]));
  const masks = needs.map((list) => list.reduce((mask, at) => mask | (1 << at), 0));
  // Each with the change that was made last. A map is walked through in the order of insertion, also what is added meanwhile.
  const found = new Map<number, number>([[0, -1]]);
  let isComplete = true;
  for (const mask of found.keys()) {
    if (found.size > MOST_PREFIXES) {
      isComplete = false;
      break;
    }
    for (const [at, need] of masks.entries()) {
      const next = mask | (1 << at);
      if (next !== mask && (mask & need) === need && !found.has(next)) found.set(next, at);
    }
  }
  const wayTo = (mask: number): readonly ChangeId[] => {
    const way: ChangeId[] = [];
    for (let left = mask, last = found.get(left) ?? -1; last >= 0; last = found.get(left) ?? -1) {
      const id = ids[last];
      if (id !== undefined) way.push(id);
      left &= ~(1 << last);
    }
    return way.reverse();
  };
  return {
    prefixes: Array.from(found.keys(), (mask) => ({
      isMade: (id) => (mask & (bits.get(id) ?? 0)) !== 0,
      way: () => wayTo(mask),
    })),
    isComplete,
  };
}
