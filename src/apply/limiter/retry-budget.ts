import type { Clock } from '../clock.ts';
import { backoffMs } from './concurrency.ts';

/** Retry-After is obeyed beyond the settle timeout, so many times. */
const MAX_RESTS = 5;

/** How long one may still try; it begins to run out at the first failure. */
export class RetryBudget {
  readonly #clock: Clock;
  readonly #settleTimeoutMs: number;
  #deadline: number | undefined;
  #tries = 0;
  #rests = 0;

  constructor({ clock, settleTimeoutMs }: { readonly clock: Clock; readonly settleTimeoutMs: number }) {
    this.#clock = clock;
    this.#settleTimeoutMs = settleTimeoutMs;
  }

  /** The wait before the next try; undefined when there is to be none. */
  nextDelay(retryAfterMs?: number): number | undefined {
    const now = this.#clock.now();
    this.#deadline ??= now + this.#settleTimeoutMs;
    this.#tries += 1;
    const backoff = backoffMs(this.#tries, this.#clock.random);
    if (retryAfterMs !== undefined && this.#settleTimeoutMs > 0 && this.#rests < MAX_RESTS) {
      this.#rests += 1;
      this.#deadline = Math.max(this.#deadline, now + retryAfterMs + backoff);
    }
    if (now >= this.#deadline) return undefined;
    return Math.min((retryAfterMs ?? 0) + backoff, this.#deadline - now);
  }
}
