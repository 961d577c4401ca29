import type { Clock } from '../clock.ts';

/** How often Retry-After is obeyed beyond the settle timeout. */
const MAX_EXTENSIONS = 5;
const FIRST_BACKOFF_MS = 200;
const LONGEST_BACKOFF_MS = 5_000;

/** The time for retries of one call; it starts at the first failure. */
export class RetryBudget {
  readonly #clock: Clock;
  readonly #settleTimeoutMs: number;
  #deadline: number | undefined;
  #failures = 0;
  #extensions = 0;

  constructor({ clock, settleTimeoutMs }: { readonly clock: Clock; readonly settleTimeoutMs: number }) {
    this.#clock = clock;
    this.#settleTimeoutMs = settleTimeoutMs;
  }

  /** From now on the budget is at most this. */
  shorten(ms: number): void {
    const deadline = this.#clock.now() + ms;
    this.#deadline = Math.min(this.#deadline ?? deadline, deadline);
  }

  /** Milliseconds to wait before the next retry; undefined when there is to be none. */
  nextDelay(retryAfterMs?: number): number | undefined {
    const now = this.#clock.now();
    this.#deadline ??= now + this.#settleTimeoutMs;
    this.#failures += 1;
    const backoff = this.#backoffMs();
    if (retryAfterMs !== undefined && this.#settleTimeoutMs > 0 && this.#extensions < MAX_EXTENSIONS) {
      this.#extensions += 1;
      this.#deadline = Math.max(this.#deadline, now + retryAfterMs + backoff);
    }
    if (now >= this.#deadline) return undefined;
    return Math.min((retryAfterMs ?? 0) + backoff, this.#deadline - now);
  }

  /** Exponential with full jitter, so that calls that failed together spread out. */
  #backoffMs(): number {
    const bound = FIRST_BACKOFF_MS * 2 ** Math.min(this.#failures - 1, 10);
    return Math.round(this.#clock.random() * Math.min(LONGEST_BACKOFF_MS, bound));
  }
}
