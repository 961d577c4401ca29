import type { Clock } from '../clock.ts';
import type { Outage } from './outage.ts';

const FIRST_BACKOFF_MS = 200;
const LONGEST_BACKOFF_MS = 5_000;

type RetryOptions = {
  readonly clock: Clock;
  readonly settleTimeoutMs: number;
  /** All writes of a run are retried until the same moment after its beginning. */
  readonly outage?: Pick<Outage, 'since'>;
};

/** The time for retries of one call; it starts at the first failure, or with the outage that the call met. */
export class RetryBudget {
  readonly #options: RetryOptions;
  #firstFailure: number | undefined;
  #shortened = Infinity;
  #failures = 0;

  constructor(options: RetryOptions) {
    this.#options = options;
  }

  /** From now on the budget is at most this. */
  shorten(ms: number): void {
    this.#shortened = Math.min(this.#shortened, this.#options.clock.now() + ms);
  }

  /**
   * Milliseconds to wait before the next retry; undefined when there is to be none, also where the gateway asks to wait for
   * longer than there is time.
   */
  nextDelay(retryAfterMs = 0): number | undefined {
    const { clock, settleTimeoutMs, outage } = this.#options;
    const now = clock.now();
    this.#firstFailure ??= now;
    this.#failures += 1;
    const start = Math.min(this.#firstFailure, outage?.since ?? Infinity);
    const left = Math.min(start + settleTimeoutMs, this.#shortened) - now;
    if (left <= 0 || retryAfterMs > left) return undefined;
    return Math.min(retryAfterMs + this.#backoffMs(), left);
  }

  /** Exponential with full jitter, so that calls that failed together spread out. */
  #backoffMs(): number {
    const bound = FIRST_BACKOFF_MS * 2 ** Math.min(this.#failures - 1, 10);
    return Math.round(this.#options.clock.random() * Math.min(LONGEST_BACKOFF_MS, bound));
  }
}
