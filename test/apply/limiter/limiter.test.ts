import { describe, expect, it } from 'vitest';
import { ConcurrencyLimit, Limiter, type Permit } from '../../../src/apply/limiter/limiter.ts';
import { virtualClock } from '../../support/clock.ts';

/** A limiter, and the names of those with a permit in the order in which they got it. */
function makeLimiter(max = 8) {
  const stop = new AbortController();
  const limiter = new Limiter(new ConcurrencyLimit({ start: max, max }), virtualClock(), stop.signal);
  const permits = new Map<string, Permit | undefined>();
  return {
    stop,
    limiter,
    acquire: (name: string, kind: string, how: Parameters<Limiter['acquire']>[1] = {}): void => {
      void limiter.acquire(kind, how).then((permit) => permits.set(name, permit));
    },
    release: async (name: string, how: Parameters<Permit['release']>[0] = 'ignored'): Promise<void> => {
      await Promise.resolve();
      permits.get(name)?.release(how);
    },
    holders: async (): Promise<readonly string[]> => {
      await new Promise((resolve) => setImmediate(resolve));
      return [...permits.keys()];
    },
    permits,
  };
}

describe('a write that is to be alone', () => {
  it('waits for others of its kind, and is not overtaken by those that come later', async () => {
    const { acquire, release, holders } = makeLimiter();
    acquire('first', 'Topic');
    acquire('alone', 'Topic', { alone: true });
    acquire('later', 'Topic');
    acquire('other kind', 'Group');
    expect(await holders()).toEqual(['first', 'other kind']);
    await release('first');
    expect(await holders()).toEqual(['first', 'other kind', 'alone']);
    await release('alone');
    expect(await holders()).toEqual(['first', 'other kind', 'alone', 'later']);
  });

  it('had no company, and neither had those that waited for it', async () => {
    const { acquire, release, holders, permits } = makeLimiter();
    acquire('alone', 'Topic', { alone: true });
    acquire('one', 'Topic');
    acquire('two', 'Topic');
    await holders();
    await release('alone');
    await holders();
    expect([...permits].map(([name, permit]) => [name, permit?.hadCompany()])).toEqual([
      ['alone', false],
      ['one', true],
      ['two', true],
    ]);
  });
});

describe('a limiter', () => {
  it('has no more permits out than its limit', async () => {
    const { limiter, acquire, release, holders } = makeLimiter(2);
    for (const name of ['a', 'b', 'c', 'd']) acquire(name, name);
    expect(await holders()).toEqual(['a', 'b']);
    await release('a', 'overloaded');
    expect(limiter.limit).toBe(1);
    expect(await holders()).toEqual(['a', 'b']);
    await release('b', 5); // it began before the overload, so it says nothing of what came of that
    expect(limiter.limit).toBe(1);
    expect(await holders()).toEqual(['a', 'b', 'c']);
    await release('c', 5);
    expect(limiter.limit).toBe(2);
    expect(await holders()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('gives no permit once it is aborted, but to those who finish what was begun', async () => {
    const { stop, acquire, release, holders, permits } = makeLimiter(1);
    acquire('first', 'Topic');
    acquire('waiting', 'Topic');
    acquire('finishing', 'Topic', { finishes: true });
    await holders();
    stop.abort();
    await release('first');
    expect(await holders()).toEqual(['first', 'waiting', 'finishing']);
    expect([...permits.values()].map((permit) => permit !== undefined)).toEqual([true, false, true]);
  });

  it('gives none during a pause, of which the longest counts', async () => {
    const clock = virtualClock();
    const limiter = new Limiter(
      new ConcurrencyLimit({ start: 8, max: 8 }),
      clock,
      new AbortController().signal,
    );
    limiter.pause(2_000);
    limiter.pause(500);
    await limiter.acquire('Topic', {});
    expect(clock.now()).toBe(2_000);
  });
});
