import { describe, expect, it } from 'vitest';
import {
  decreaseLimit,
  increaseLimit,
  startConcurrency,
  type Concurrency,
} from '../../../src/apply/limiter/concurrency.ts';

function decreased(concurrency: Concurrency, times: number): Concurrency {
  let lower = concurrency;
  for (let epoch = 0; epoch < times; epoch += 1) lower = decreaseLimit(lower, epoch);
  return lower;
}

describe('the concurrency', () => {
  it('is halved when the gateway is overloaded, down to one', () => {
    const start = startConcurrency(8);
    expect([0, 1, 2, 3, 4, 5].map((times) => decreased(start, times).limit)).toEqual([8, 4, 2, 1, 1, 1]);
  });

  it('is halved once for calls that were in flight together', () => {
    const once = decreaseLimit(startConcurrency(8), 0);
    expect(decreaseLimit(once, 0)).toEqual(once);
  });

  it('grows by one for each round that succeeded, up to the maximum', () => {
    const limits: number[] = [];
    let concurrency = decreased(startConcurrency(4), 2);
    for (let call = 0; call < 12; call += 1) {
      concurrency = increaseLimit(concurrency);
      limits.push(Math.floor(concurrency.limit));
    }
    expect(limits.slice(0, 3)).toEqual([2, 2, 3]);
    expect(limits.at(-1)).toBe(4);
    expect(increaseLimit(concurrency)).toEqual(concurrency);
  });
});
