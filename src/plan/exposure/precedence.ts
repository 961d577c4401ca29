import type { ChangeId } from '../change/change-id.ts';
import { idOf, type Change } from '../change/plan.ts';
import { ancestry } from '../order/graph.ts';

/** Which changes are always made before another. */
export type Precedence = {
  readonly isBefore: (one: ChangeId, other: ChangeId) => boolean;
  readonly stageOf: (id: ChangeId) => 1 | 2;
};

/** The precedence that a run keeps: of `dependsOn`, and of all of stage 1 before stage 2. Other changes come in any order. */
export function precedenceOf(
  changes: readonly Pick<Change, 'address' | 'dependsOn' | 'stage'>[],
): Precedence {
  const dependsOn = new Map(changes.map((change) => [idOf(change), change.dependsOn] as const));
  const stages = new Map(changes.map((change) => [idOf(change), change.stage] as const));
  const isAncestor = ancestry(dependsOn);
  const stageOf = (id: ChangeId): 1 | 2 => stages.get(id) ?? 1;
  return { stageOf, isBefore: (one, other) => stageOf(one) < stageOf(other) || isAncestor(one, other) };
}

/** Changes that can have been made at one moment of a run, while the others have not. */
export type Moment = {
  readonly isMade: (id: ChangeId) => boolean;
  /** An order in which they can be made. */
  readonly way: () => readonly ChangeId[];
};
export type Moments = {
  readonly moments: readonly Moment[];
  /** Whether there are no others. */
  readonly isComplete: boolean;
};

const MOST_BITS = 30;
const MOST_IN_CHAIN = 300;

/** The moments of a run, as far as these changes are concerned. `ids` are in an order in which they can be made. */
export function findMoments(ids: readonly ChangeId[], { isBefore }: Precedence, cap: number): Moments {
  const all: Moments = { moments: alongOrder(ids), isComplete: false };
  if (ids.length > MOST_IN_CHAIN) return all;
  const needs = ids.map((id, at) =>
    ids.slice(0, at).flatMap((other, earlier) => (isBefore(other, id) ? [earlier] : [])),
  );
  if (needs.every((list, at) => list.length === at)) return { ...all, isComplete: true };
  const found = ids.length > MOST_BITS ? undefined : findSubsets(ids, needs, cap);
  if (found?.isComplete === true) return found;
  return { moments: [...all.moments, ...ids.map((_, at) => withNeeds(ids, needs, at))], isComplete: false };
}

/** The first moment at which a change is made. */
function withNeeds(ids: readonly ChangeId[], needs: readonly (readonly number[])[], at: number): Moment {
  const places = [...(needs[at] ?? []), at];
  const made = new Set(places.map((place) => ids[place]));
  return { isMade: (id) => made.has(id), way: () => ids.filter((id) => made.has(id)) };
}

/** The moments if each change is made after the one before it. */
function alongOrder(ids: readonly ChangeId[]): readonly Moment[] {
  const places = new Map(ids.map((id, at) => [id, at]));
  return [...ids, undefined].map((_, count) => ({
    isMade: (id) => (places.get(id) ?? count) < count,
    way: () => ids.slice(0, count),
  }));
}

function findSubsets(ids: readonly ChangeId[], needs: readonly (readonly number[])[], cap: number): Moments {
  const bits = new Map(ids.map((id, at) => [id, 1 << at]));
  const masks = needs.map((list) => list.reduce((mask, at) => mask | (1 << at), 0));
  // Each with the change that was made last. A map is walked through in the order of insertion, also what is added meanwhile.
  const found = new Map<number, number>([[0, -1]]);
  let isComplete = true;
  for (const mask of found.keys()) {
    if (found.size > cap) {
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
    moments: Array.from(found.keys(), (mask) => ({
      isMade: (id) => (mask & (bits.get(id) ?? 0)) !== 0,
      way: () => wayTo(mask),
    })),
    isComplete,
  };
}
