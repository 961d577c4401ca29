import { describe, expect, it } from 'vitest';
import { RetryBudget } from '../../../src/apply/limiter/retries.ts';

/** A retry budget, with a clock that is moved by hand and no chance. */
function makeBudget(settleTimeoutMs: number): {
  readonly budget: RetryBudget;
  readonly pass: (ms: number) => void;
} {
  let now = 0;
  const clock = { now: () => now, random: () => 0, wait: () => Promise.resolve() };
  return { budget: new RetryBudget({ clock, settleTimeoutMs }), pass: (ms) => (now += ms) };
}

describe('a retry budget', () => {
  it('ends with the settle timeout, which begins at the first failure', () => {
    const { budget, pass } = makeBudget(30_000);
    pass(100_000);
    expect(budget.nextDelay()).toBe(0);
    pass(29_999);
    expect(budget.nextDelay()).toBe(0);
    pass(1);
    expect(budget.nextDelay()).toBeUndefined();
  });

  it('obeys Retry-After within the settle timeout, which is the time that the user gives', () => {
    const { budget, pass } = makeBudget(30_000);
    expect(budget.nextDelay(20_000)).toBe(20_000);
    pass(20_000);
    expect(budget.nextDelay(10_001)).toBeUndefined();
    expect(budget.nextDelay(10_000)).toBe(10_000);
  });

  it('allows nothing with a settle timeout of nothing, whatever Retry-After asks', () => {
    expect(makeBudget(0).budget.nextDelay(5_000)).toBeUndefined();
  });
});
