/** Calls in flight at the start of a run. */
const START = 8;
/** The most calls in flight without `--parallelism`. */
const MAX = 64;

/** Calls in flight at the start, and at most. */
export type Bounds = { readonly start: number; readonly max: number };

/** `preferred` is the number that the gateway asks for, `ceiling` that of the user. */
export function boundsFor(preferred: number | undefined, ceiling: number | undefined): Bounds {
  const max = ceiling ?? Math.max(MAX, preferred ?? START);
  return { start: Math.min(preferred ?? START, max), max };
}

/** A round counts as slower if it takes longer than the fastest one by this factor and this many milliseconds. */
const TOLERANCE = 1.5;
const SLACK_MS = 1;

/**
 * How many calls may be in flight. It follows the latency of the responses, as TCP Vegas does:
 *
 *     a round as fast as the fastest one ─▶ twice as many; after the first slow round, a few more
 *     a slower round                     ─▶ fewer, but not below `start`
 *     429, 503, timeout                  ─▶ half as many; from then on, one more for each good round
 *
 * A round is as many responses as calls may be in flight. Its latency is the median, so that one slow response does not
 * matter. `epoch` counts the halvings, so that calls that were in flight together cause one.
 */
export class ConcurrencyLimit {
  readonly #start: number;
  readonly #max: number;
  #limit: number;
  #epoch = 0;
  #growth: 'double' | 'some' | 'one' = 'double';
  #fastestMs = Infinity;
  #round: number[] = [];

  constructor({ start, max }: Bounds) {
    this.#max = max;
    this.#start = start;
    this.#limit = start;
  }

  get value(): number {
    return Math.floor(this.#limit);
  }

  get epoch(): number {
    return this.#epoch;
  }

  /** A call that began in `epoch` was answered after `ms`. */
  recordAnswer(ms: number, epoch: number): void {
    if (epoch < this.#epoch || (this.#start === this.#max && this.#limit === this.#max)) return;
    this.#round.push(ms);
    if (this.#round.length < this.value) return;
    const roundMs = median(this.#round);
    this.#round = [];
    this.#fastestMs = Math.min(this.#fastestMs, roundMs);
    if (roundMs <= this.#fastestMs * TOLERANCE + SLACK_MS) {
      this.#limit = Math.min(this.#max, this.#grown());
    } else {
      if (this.#growth === 'double') this.#growth = 'some';
      const share = Math.max(1 / 2, (this.#fastestMs * TOLERANCE) / roundMs);
      this.#limit = Math.max(Math.min(this.#limit, this.#start), this.#limit * share);
    }
  }

  /** The gateway was overloaded by a call that began in `epoch`. */
  recordOverload(epoch: number): void {
    if (epoch < this.#epoch) return;
    this.#epoch += 1;
    this.#growth = 'one';
    this.#round = [];
    this.#limit = Math.max(1, this.#limit / 2);
  }

  #grown(): number {
    switch (this.#growth) {
      case 'double':
        return this.#limit * 2;
      case 'some':
        return this.#limit + Math.sqrt(this.#limit);
      case 'one':
        return this.#limit + 1;
      default:
        return this.#growth satisfies never;
    }
  }
}

function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[values.length >> 1] ?? 0;
}
