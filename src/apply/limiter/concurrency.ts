/**
 * How many writes may be in flight: additive increase, one more for each round that succeeded; multiplicative decrease,
 * half as many when the gateway is overloaded. `epoch` counts the decreases, so that calls that were in flight together
 * cause one.
 */
export type Concurrency = { readonly max: number; readonly limit: number; readonly epoch: number };

/** Starts at the maximum: most plans would be over before a slow start is. */
export function startConcurrency(max: number): Concurrency {
  return { max, limit: max, epoch: 0 };
}

export function increaseLimit(concurrency: Concurrency): Concurrency {
  const { max, limit } = concurrency;
  return limit === max
    ? concurrency
    : { ...concurrency, limit: Math.min(max, limit + 1 / Math.floor(limit)) };
}

/** `epoch` is the one in which the call began that was not served. */
export function decreaseLimit(concurrency: Concurrency, epoch: number): Concurrency {
  if (epoch < concurrency.epoch) return concurrency;
  return { ...concurrency, limit: Math.max(1, concurrency.limit / 2), epoch: concurrency.epoch + 1 };
}
