import type { GatewayError } from '../../gateway/gateway.ts';
import type { Clock } from '../events.ts';

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

/** A run ends when so many writes in a row were given up. */
const MOST_GIVEN_UP = 10;

/** A time in which the gateway answers no write: it is gone, or stays busy. */
export class Outage {
  #since: number | undefined;
  #givenUp = 0;

  /** When it began; undefined while writes are answered. */
  get since(): number | undefined {
    return this.#since;
  }

  /** Whether the gateway has answered none of the last writes, so that it is of no use to go on. */
  get isLasting(): boolean {
    return this.#givenUp >= MOST_GIVEN_UP;
  }

  begin(now: number): void {
    this.#since ??= now;
  }

  end(): void {
    this.#since = undefined;
    this.#givenUp = 0;
  }

  /** A write is not retried any more. */
  giveUp(): void {
    if (this.#since !== undefined) this.#givenUp += 1;
  }
}

/** Whether the call may have had its effect: no response says otherwise. */
export function hasUnknownOutcome({ code, status, unsent }: GatewayError): boolean {
  switch (code) {
    case 'unreachable':
    case 'timeout':
      return status === undefined && !unsent;
    case 'not-understood':
      return status === undefined || status < 300 || status >= 500;
    case 'busy':
      return status === 502 || status === 504; // from a proxy that got no response itself
    case 'failed':
      return status !== undefined && status >= 500;
    default:
      return false;
  }
}

/** Whether fewer calls at once may help: the gateway is overloaded, or it or a proxy takes few connections. */
export function isOverload({ code, status }: GatewayError): boolean {
  return (
    code === 'timeout' ||
    (code === 'busy' && status !== 502) ||
    (code === 'unreachable' && status === undefined)
  );
}

/** Whether it may be caused by writes of the same kind that were in flight at the same time (gateway-api B.7). */
export function isPossibleRace({ code, status }: GatewayError): boolean {
  return code === 'not-found' || code === 'conflict' || (code === 'failed' && status !== undefined);
}

/** Whether the same call may succeed a moment later; not so for a refusal. */
export function isRetryable(error: GatewayError): boolean {
  return error.unsent || error.code === 'busy' || (hasUnknownOutcome(error) && error.code !== 'failed');
}
