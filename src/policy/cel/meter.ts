/** Thrown where an expression has used up what it may spend. */
export class Exhausted extends Error {}

/**
 * What expressions may spend. Every step of a loop and every call costs as much as it may take, so an expression of a pull
 * request ends, on every machine at the same place.
 */
export type Meter = {
  /** Throws an Exhausted error if that is more than what is left. */
  readonly spend: (units: number) => void;
  /** The budget left for the expression that is evaluated. */
  readonly left: () => number;
  /** Begins an expression: it gets its share of what is left for all. */
  readonly begin: () => void;
  readonly isExhausted: () => boolean;
};

/** About a second. */
const MOST_OF_ONE = 1_000_000;
/** A few minutes, for all expressions of a run: twenty usual policies over 100,000 objects take half of it. */
const MOST_OF_ALL = 200_000_000;

export function makeMeter({ mostOfOne = MOST_OF_ONE, mostOfAll = MOST_OF_ALL } = {}): Meter {
  let all = mostOfAll;
  let one = 0;
  let isExhausted = false;
  return {
    spend: (units) => {
      one -= units;
      all -= units;
      if (one >= 0 && all >= 0) return;
      isExhausted = true;
      throw new Exhausted();
    },
    left: () => Math.max(0, Math.min(one, all)),
    begin: () => {
      one = Math.min(mostOfOne, all);
      isExhausted = false;
    },
    isExhausted: () => isExhausted,
  };
}
