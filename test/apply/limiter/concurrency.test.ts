import { describe, expect, it } from 'vitest';
import { boundsFor, ConcurrencyLimit } from '../../../src/apply/limiter/limiter.ts';

/** A gateway: milliseconds to make a write, how many it makes at a time, and beyond how many in flight it refuses. */
type Behaviour = { readonly ms: number; readonly workers?: number; readonly most?: number };
type Call = {
  readonly begin: number;
  readonly end: number;
  readonly epoch: number;
  readonly refused: boolean;
};

/** Makes `writes` on a simulated gateway; time is a number. The limit after each answer, and when all was done. */
function simulate(
  { ms, workers = Infinity, most = Infinity }: Behaviour,
  writes = 2000,
  limit = unbounded(),
) {
  const busyUntil = Number.isFinite(workers) ? Array.from({ length: workers }, () => 0) : undefined;
  const widths: number[] = [];
  let inFlight: Call[] = [];
  let now = 0;
  let started = 0;
  let refusals = 0;
  const endOf = (at: number): number => {
    // Every third answer takes a fifth longer than the others.
    const work = ms * (started % 3 === 0 ? 1.2 : 1);
    if (busyUntil === undefined) return at + work;
    const first = busyUntil.indexOf(Math.min(...busyUntil));
    return (busyUntil[first] = Math.max(busyUntil[first] ?? 0, at) + work);
  };
  for (let done = 0; done < writes;) {
    while (inFlight.length < limit.value && started < writes) {
      const refused = inFlight.length >= most;
      inFlight.push({ begin: now, end: refused ? now + 1 : endOf(now), epoch: limit.epoch, refused });
      started += 1;
    }
    const [first, ...others] = inFlight.sort((one, other) => one.end - other.end);
    if (first === undefined) break;
    inFlight = others;
    now = first.end;
    if (first.refused) {
      refusals += 1;
      started -= 1;
      limit.recordOverload(first.epoch);
    } else {
      done += 1;
      limit.recordAnswer(first.end - first.begin, first.epoch);
    }
    widths.push(limit.value);
  }
  return { widths, ms: now, refusals };
}

function unbounded(): ConcurrencyLimit {
  return new ConcurrencyLimit(boundsFor(undefined, undefined));
}

describe('the concurrency limit', () => {
  it('begins at eight, and doubles to sixty-four on a gateway whose latency is constant', () => {
    const { widths, ms } = simulate({ ms: 5 });
    expect(widths[0]).toBe(8);
    expect(widths.slice(8 + 16 + 32)).toEqual(widths.slice(8 + 16 + 32).map(() => 64));
    expect(ms).toBeLessThan((2000 / 8) * 5 * 0.2);
  });

  it.each([4, 8, 16, 32])('stays near what a gateway can do that makes %i writes at a time', (workers) => {
    const { widths, ms } = simulate({ ms: 5, workers });
    const settled = widths.slice(500);
    expect(Math.max(...settled)).toBeLessThanOrEqual(Math.max(8, 2 * workers) * 2.25);
    expect(Math.min(...settled)).toBeGreaterThanOrEqual(8);
    expect(ms).toBeLessThan((2000 / workers) * 5 * 1.25);
  });

  it.each([2, 5, 10, 20, 40])('holds back where more than %i in flight are refused', (most) => {
    const { widths, refusals } = simulate({ ms: 10, most });
    expect(Math.max(...widths.slice(500))).toBeLessThanOrEqual(most + 2);
    expect(Math.min(...widths)).toBeGreaterThanOrEqual(1);
    expect(refusals).toBeLessThan(2000 / most);
  });

  it('is halved once for the calls of one overload, down to one, and grows by one for each good round', () => {
    const limit = new ConcurrencyLimit({ start: 8, max: 8 });
    for (let call = 0; call < 8; call += 1) limit.recordOverload(0);
    expect(limit.value).toBe(4);
    for (const epoch of [1, 2, 3, 4]) limit.recordOverload(epoch);
    expect(limit.value).toBe(1);
    const values = Array.from({ length: 6 }, () => {
      limit.recordAnswer(5, limit.epoch);
      return limit.value;
    });
    expect(values).toEqual([2, 2, 3, 3, 3, 4]);
  });

  it('never exceeds what the user allows, and begins below eight where that is less', () => {
    const narrow = simulate({ ms: 5 }, 500, new ConcurrencyLimit(boundsFor(undefined, 3)));
    expect(new Set(narrow.widths)).toEqual(new Set([3]));
    const wide = simulate({ ms: 5 }, 500, new ConcurrencyLimit(boundsFor(undefined, 20)));
    expect(Math.max(...wide.widths)).toBe(20);
  });

  it('begins at what suits the gateway', () => {
    expect(boundsFor(1000, undefined)).toEqual({ start: 1000, max: 1000 });
    expect(boundsFor(1000, 4)).toEqual({ start: 4, max: 4 });
    expect(boundsFor(undefined, undefined)).toEqual({ start: 8, max: 64 });
  });
});
