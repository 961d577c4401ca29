import { describe, expect, it } from 'vitest';
import { GatewayError, type Gateway } from '../../../src/gateway/gateway.ts';
import { readLive } from '../../../src/gateway/read-live.ts';
import { readV1 } from '../../../src/v1/migrate/read-v1.ts';
import type { Kind } from '../../../src/model/kind.ts';
import { memoryGateway } from '../../../src/emulator/memory.ts';
import { catalog } from '../../../src/schema/kinds/index.ts';
import { makeRetryReads } from '../../../src/workflow/live/retry-reads.ts';
import { virtualClock } from '../../support/clock.ts';
import { makeV1Routes } from '../../../src/v1/face/face-routes.ts';

const kinds = [...catalog.kinds.values()];

const refused = (): GatewayError => new GatewayError('unreachable', 'refused', { unsent: true });
const reset = (): GatewayError => new GatewayError('unreachable', 'closed the connection');
const busy = (): GatewayError => new GatewayError('busy', 'busy', { status: 503 });

/** A gateway that fails a list if `fails` says so of its number, from 1, and of how many are in flight with it. */
function failing(
  error: () => GatewayError,
  fails: (call: number, inFlight: number) => boolean,
): { readonly gateway: Gateway; readonly inFlight: number[] } {
  const inner = memoryGateway(catalog.kinds);
  const seen: number[] = [];
  let current = 0;
  const gateway: Gateway = {
    ...inner,
    list: async (kind) => {
      current += 1;
      seen.push(current);
      const isFailing = fails(seen.length, current);
      try {
        if (!isFailing) await new Promise((resolve) => setImmediate(resolve)); // an answer takes longer than a refusal
        if (isFailing) throw error();
        return await inner.list(kind);
      } finally {
        current -= 1;
      }
    },
  };
  return { gateway, inFlight: seen };
}

describe('reads of a gateway that takes few connections', () => {
  it.each([
    ['refused', refused, 1],
    ['reset', reset, 1],
    ['busy', busy, 1],
    ['refused', refused, 2],
    ['reset', reset, 2],
    ['busy', busy, 2],
  ])('are retried with fewer at once when others are %s (%#)', async (_, error, most) => {
    const { gateway, inFlight } = failing(error, (__, together) => together > most);
    const clock = virtualClock();
    const live = await readLive(makeRetryReads(clock)(gateway), kinds);
    expect(live.unavailable.size).toBe(0);
    expect(inFlight[inFlight.length - 1]).toBeLessThanOrEqual(most);
    expect(inFlight.length).toBeLessThan(40);
  });
});

describe('reads of v1, and of what runs for a client', () => {
  it.each([refused, reset, busy])('are retried like lists (%#)', async (error) => {
    const inner = memoryGateway(catalog.kinds, { version: '3.15.0' }, makeV1Routes);
    const failed = { left: 2 };
    const fail = (): void => {
      if (failed.left-- > 0) throw error();
    };
    const gateway = makeRetryReads(virtualClock())({
      ...inner,
      readV1: async (path: `/admin/${string}`) => {
        fail();
        return inner.readV1(path);
      },
      resolveInterceptors: async (...client: Parameters<typeof inner.resolveInterceptors>) => {
        fail();
        return inner.resolveInterceptors(...client);
      },
    });
    await readLive(gateway, kinds);
    expect(await readV1(gateway, [])).toMatchObject({ interceptors: [], topics: [] });
    failed.left = 2;
    const [kind] = kinds.filter(({ name }) => name === 'Interceptor');
    expect(await gateway.resolveInterceptors(kind as Kind, { username: 'a' })).toEqual([]);
  });
});

describe('reads of a gateway that answers nothing', () => {
  it.each([
    ['refuses', refused],
    ['resets', reset],
  ])('fail at once when it %s connections', async (_, error) => {
    const clock = virtualClock();
    const { gateway, inFlight } = failing(error, () => true);
    await expect(readLive(makeRetryReads(clock)(gateway), kinds)).rejects.toThrow(error().message);
    expect(inFlight.length).toBe(kinds.filter(({ removal }) => removal !== undefined).length);
    expect(clock.waits).toEqual([]);
  });

  it('fail at once when one of them timed out', async () => {
    const clock = virtualClock();
    let calls = 0;
    const late = new GatewayError('timeout', 'did not respond');
    const { gateway } = failing(
      () => ((calls += 1) === 1 ? late : reset()),
      () => true,
    );
    await expect(readLive(makeRetryReads(clock)(gateway), kinds)).rejects.toThrow(GatewayError);
    expect(clock.waits).toEqual([]);
  });

  it('are retried for a moment when it is busy', async () => {
    const clock = virtualClock();
    const { gateway } = failing(busy, () => true);
    await expect(readLive(makeRetryReads(clock)(gateway), kinds)).rejects.toThrow('busy');
    expect(clock.now()).toBeGreaterThan(1_000);
    expect(clock.now()).toBeLessThan(10_000);
  });
});

describe('reads that fail for another reason', () => {
  it.each([
    new GatewayError('unauthorized', 'no', { status: 401 }),
    new GatewayError('not-understood', 'not JSON', { status: 200 }),
    new GatewayError('untrusted', 'another authority'),
    new GatewayError('timeout', 'did not respond'),
    new GatewayError('failed', 'broken', { status: 500 }),
    new GatewayError('busy', 'asks for more than half a minute', { status: 503, retryAfterMs: 30_001 }),
    new GatewayError('unreachable', 'the proxy requires a password', { status: 407 }),
  ])('are not retried: $message', async (error) => {
    const clock = virtualClock();
    const { gateway, inFlight } = failing(
      () => error,
      () => true,
    );
    const [kind] = kinds;
    if (kind === undefined) throw new Error('there are kinds');
    await expect(makeRetryReads(clock)(gateway).list(kind)).rejects.toBe(error);
    expect(inFlight.length).toBe(1);
  });

  it('stop after their time, when the gateway has answered before', async () => {
    const clock = virtualClock();
    const { gateway, inFlight } = failing(refused, (call) => call > 1);
    const reading = makeRetryReads(clock)(gateway);
    const [kind] = kinds;
    if (kind === undefined) throw new Error('there are kinds');
    await reading.list(kind);
    await expect(reading.list(kind)).rejects.toThrow('refused');
    expect(inFlight.length).toBeGreaterThan(3);
    expect(clock.now()).toBeLessThan(60_000);
  });
});
