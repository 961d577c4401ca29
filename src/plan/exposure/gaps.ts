import type { ChangeId } from '../change/change-id.ts';
import { classifySteps, isProtected, ofName, type Model } from './models.ts';
import { findMoments, type Moment, type Precedence } from './precedence.ts';

/** Between two changes of a plan principals lack a protection that they have before and after it. */
export type Gap = { readonly from: ChangeId; readonly until: ChangeId };

/** The order of the plan. */
export type Order = Precedence & { readonly placeOf: (id: ChangeId) => number };

/** How many moments are looked at for one sort of protection of principals with the same interceptors. */
const MOST_MOMENTS = 4096;
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
  const { moments, isComplete } = findMoments(ids, order, MOST_MOMENTS);
  const gaps = new Map<ChangeId, Gap>();
  for (const moment of moments) {
    if (isProtected(model, moment.isMade)) continue;
    const gap = gapAround(moment, model, ids);
    if (!gaps.has(gap.from)) gaps.set(gap.from, gap);
  }
  return { gaps: [...gaps.values()], isComplete };
}

/** Whether it can be told without the moments of all names together. */
function isSafeByParts(model: Model, order: Order): boolean {
  if (isMonotone(model, order)) return true;
  const names = new Set(model.players.map(({ name }) => name));
  if (names.size < 2) return false;
  return [...names].some((name) => isSafeName(ofName(model, name), order));
}

/** Whether one name alone gives the protection throughout. */
function isSafeName(model: Model, order: Order): boolean {
  if (!isProtected(model, () => false) || !isProtected(model, () => true)) return false;
  if (isMonotone(model, order)) return true;
  const { moments, isComplete } = findMoments(sortByPlace(model.steps, order), order, MOST_MOMENTS);
  return isComplete && moments.every(({ isMade }) => isProtected(model, isMade));
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
function gapAround(moment: Moment, model: Model, ids: readonly ChangeId[]): Gap {
  const made = new Set<ChangeId>();
  const isMade = (id: ChangeId): boolean => made.has(id);
  let from: ChangeId | undefined;
  for (const id of moment.way()) {
    made.add(id);
    if (isProtected(model, isMade)) from = undefined;
    else from ??= id;
  }
  for (const id of ids) {
    if (made.has(id)) continue;
    made.add(id);
    if (from !== undefined && isProtected(model, isMade)) return { from, until: id };
  }
  throw new Error('a gap does not end, though the principals are protected after the plan');
}

export function sortByPlace(ids: readonly ChangeId[], { placeOf }: Order): readonly ChangeId[] {
  return [...ids].sort((one, other) => placeOf(one) - placeOf(other));
}
