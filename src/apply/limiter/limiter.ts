import type { Clock } from '../clock.ts';
import type { ConcurrencyLimit } from './concurrency.ts';

/** Permission to make one write. */
export type Permit = {
  /** Whether another write of the kind was in flight at the same time, at any moment. */
  readonly hadCompany: () => boolean;
  /** Must be called once the call is over, with the milliseconds that a good response took. */
  readonly release: (how: number | 'overloaded' | 'ignored') => void;
};

type Active = { readonly kind: string; readonly alone: boolean; readonly epoch: number; hadCompany: boolean };
type Waiting = {
  readonly kind: string;
  readonly alone: boolean;
  readonly finishes: boolean;
  readonly resolve: (permit: Permit | undefined) => void;
};

type AcquireOptions = { readonly alone?: boolean; readonly finishes?: boolean };

/** Limits writes in flight: their number, none during a pause, and none beside one of its kind that must be alone. */
export class Limiter {
  readonly #concurrency: ConcurrencyLimit;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #active = new Set<Active>();
  #waiting: readonly Waiting[] = [];
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
    { alone = false, finishes = false }: AcquireOptions = {},
  ): Promise<Permit | undefined> {
    return new Promise((resolve) => {
      this.#waiting = [...this.#waiting, { kind, alone, finishes, resolve }];
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
      const company = [...this.#active].filter((other) => other.kind === kind);
      if (company.length > 0 && (alone || company.some((other) => other.alone))) blocked.add(kind);
      if (blocked.has(kind) || this.#active.size >= this.limit) return true;
      for (const other of company) other.hadCompany = true;
      waiting.resolve(this.#makePermit({ kind, alone, hadCompany: company.length > 0 }));
      return false;
    });
  }

  #makePermit(about: Omit<Active, 'epoch'>): Permit {
    const active: Active = { ...about, epoch: this.#concurrency.epoch };
    this.#active.add(active);
    return {
      hadCompany: () => active.hadCompany,
      release: (how) => {
        this.#active.delete(active);
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
