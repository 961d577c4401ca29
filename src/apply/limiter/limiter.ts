import type { Clock } from '../events.ts';

/** Permission to make one write. */
export type Permit = {
  /** Whether another write of the kind was in flight at the same time, at any moment. */
  readonly hadCompany: () => boolean;
  /** Must be called once the call is over, with the milliseconds that a good response took. */
  readonly release: (how: number | 'overloaded' | 'ignored') => void;
};

type Active = { readonly alone: boolean; readonly epoch: number; hadCompany: boolean };
type Waiting = {
  readonly kind: string;
  readonly alone: boolean;
  readonly finishes: boolean;
  readonly resolve: (permit: Permit | undefined) => void;
};

/** Whether the write in flight must be the only one of its kind. */
function isAlone(company: ReadonlySet<Active>): boolean {
  const [first] = company;
  return first?.alone === true;
}

/** Limits writes in flight: their number, none during a pause, and none beside one of its kind that must be alone. */
export class Limiter {
  readonly #concurrency: ConcurrencyLimit;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  /** Writes in flight, by kind. */
  readonly #active = new Map<string, Set<Active>>();
  #inFlight = 0;
  #waiting: Waiting[] = [];
  #pausedUntil = -Infinity;
  #timerRuns = false;

  /** Once the signal is aborted, no more permits are given. */
  constructor(concurrency: ConcurrencyLimit, clock: Clock, signal: AbortSignal) {
    this.#concurrency = concurrency;
    this.#clock = clock;
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#grant(), { once: true });
  }

  /** How many writes may be in flight. */
  get limit(): number {
    return this.#concurrency.value;
  }

  /**
   * Waits for permission to write an object of the kind; with `alone`, until no other of the kind is in flight; with
   * `finishes`, also after an abort, to complete what has begun. Resolves to undefined when there will be none.
   */
  acquire(
    kind: string,
    { alone = false, finishes = false }: { readonly alone?: boolean; readonly finishes?: boolean } = {},
  ): Promise<Permit | undefined> {
    return new Promise((resolve) => {
      this.#waiting.push({ kind, alone, finishes, resolve });
      this.#grant();
    });
  }

  /** Gives no permit for so many milliseconds. */
  pause(ms: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#clock.now() + ms);
  }

  #grant(): void {
    if (this.#signal.aborted) {
      for (const { finishes, resolve } of this.#waiting) if (!finishes) resolve(undefined);
      this.#waiting = this.#waiting.filter(({ finishes }) => finishes);
    }
    if (this.#waiting.length === 0 || (!this.#signal.aborted && this.#isPaused())) return;
    const blocked = new Set<string>(); // kinds with a write that waits to be alone: later ones do not overtake it
    this.#waiting = this.#waiting.filter((waiting) => {
      const { kind, alone } = waiting;
      const company = this.#active.get(kind) ?? new Set();
      if (company.size > 0 && (alone || isAlone(company))) blocked.add(kind);
      if (blocked.has(kind) || this.#inFlight >= this.limit) return true;
      // All of several have had company.
      if (company.size === 1) for (const other of company) other.hadCompany = true;
      this.#active.set(kind, company);
      waiting.resolve(this.#makePermit(company, alone));
      return false;
    });
  }

  #makePermit(company: Set<Active>, alone: boolean): Permit {
    const active: Active = { alone, epoch: this.#concurrency.epoch, hadCompany: company.size > 0 };
    company.add(active);
    this.#inFlight += 1;
    return {
      hadCompany: () => active.hadCompany,
      release: (how) => {
        company.delete(active);
        this.#inFlight -= 1;
        if (typeof how === 'number') this.#concurrency.recordAnswer(how, active.epoch);
        if (how === 'overloaded') this.#concurrency.recordOverload(active.epoch);
        this.#grant();
      },
    };
  }

  #isPaused(): boolean {
    const left = this.#pausedUntil - this.#clock.now();
    if (left <= 0) return false;
    if (!this.#timerRuns) {
      this.#timerRuns = true;
      void this.#clock.wait(left, this.#signal).then(() => {
        this.#timerRuns = false;
        this.#grant();
      });
    }
    return true;
  }
}

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
