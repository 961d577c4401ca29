import type { Clock } from '../clock.ts';
import {
  increaseLimit,
  wholeLimit,
  decreaseLimit,
  startConcurrency,
  type Concurrency,
} from './concurrency.ts';

/** Leave to make one write. */
export type Permit = {
  /** Whether another write of the kind was in flight at some time of this one. */
  readonly hadCompany: () => boolean;
  /** Must be called when the answer is there, or will never be; says what it tells of the gateway. */
  readonly release: (how: 'succeeded' | 'overloaded' | 'ignored') => void;
};

type Inside = { readonly kind: string; readonly alone: boolean; readonly epoch: number; inCompany: boolean };
type Waiting = {
  readonly kind: string;
  readonly alone: boolean;
  readonly finishes: boolean;
  readonly admit: (pass: Permit | undefined) => void;
};

type Manner = { readonly alone?: boolean; readonly finishes?: boolean };

/** Every write passes here: not too many together, none while the gateway wants a rest, some without company. */
export class Limiter {
  #pace: Concurrency;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #inside = new Set<Inside>();
  #waiting: readonly Waiting[] = [];
  #closedUntil = -Infinity;
  #resting = false;

  /** When the signal is aborted nobody is let in any more. */
  constructor(ceiling: number, clock: Clock, signal: AbortSignal) {
    this.#pace = startConcurrency(ceiling);
    this.#clock = clock;
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#admit(), { once: true });
  }

  /** How many writes may be in flight. */
  get limit(): number {
    return wholeLimit(this.#pace);
  }

  /**
   * Waits for leave to make a write of the kind; with `alone`, until no other of the kind is in flight; with `finishes`,
   * even when the signal is aborted, to end what has begun. Undefined: never.
   */
  acquire(kind: string, { alone = false, finishes = false }: Manner): Promise<Permit | undefined> {
    return new Promise((admit) => {
      this.#waiting = [...this.#waiting, { kind, alone, finishes, admit }];
      this.#admit();
    });
  }

  /** Lets nobody in for so long. */
  pause(ms: number): void {
    this.#closedUntil = Math.max(this.#closedUntil, this.#clock.now() + ms);
  }

  #admit(): void {
    if (this.#signal.aborted) {
      for (const { finishes, admit } of this.#waiting) if (!finishes) admit(undefined);
      this.#waiting = this.#waiting.filter(({ finishes }) => finishes);
    }
    if (this.#waiting.length === 0 || (!this.#signal.aborted && this.#rests())) return;
    const barred = new Set<string>(); // who wants to be alone is not overtaken by others of the kind
    this.#waiting = this.#waiting.filter((waiting) => {
      const { kind, alone } = waiting;
      const company = [...this.#inside].filter((other) => other.kind === kind);
      const keptApart = company.length > 0 && (alone || company.some((other) => other.alone));
      if (keptApart) barred.add(kind);
      if (barred.has(kind) || this.#inside.size >= this.limit) return true;
      for (const other of company) other.inCompany = true;
      this.#letIn(waiting, company.length > 0);
      return false;
    });
  }

  #letIn({ kind, alone, admit }: Waiting, inCompany: boolean): void {
    const inside: Inside = { kind, alone, epoch: this.#pace.epoch, inCompany };
    this.#inside.add(inside);
    admit({
      hadCompany: () => inside.inCompany,
      release: (how) => {
        this.#inside.delete(inside);
        if (how === 'succeeded') this.#pace = increaseLimit(this.#pace);
        if (how === 'overloaded') this.#pace = decreaseLimit(this.#pace, inside.epoch);
        this.#admit();
      },
    });
  }

  #rests(): boolean {
    const left = this.#closedUntil - this.#clock.now();
    if (left <= 0) return false;
    if (!this.#resting) {
      this.#resting = true;
      void this.#clock.wait(left, this.#signal).then(() => {
        this.#resting = false;
        this.#admit();
      });
    }
    return true;
  }
}
