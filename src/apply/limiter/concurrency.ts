import { idOf, type Change, type ChangeId } from '../../plan/change/plan.ts';

/**
 * How many writes may be in flight: one more for each round that went well, half as many when the gateway is
 * overtaxed. `epoch` grows with each halving, so that the calls of one jam count as one.
 */
export type Concurrency = { readonly max: number; readonly limit: number; readonly epoch: number };

/** Begins at the max: most plans are over before a slow start would be. */
export function startConcurrency(max: number): Concurrency {
  return { max, limit: max, epoch: 0 };
}

export function increaseLimit(pace: Concurrency): Concurrency {
  if (pace.limit === pace.max) return pace;
  return { ...pace, limit: Math.min(pace.max, pace.limit + 1 / Math.floor(pace.limit)) };
}

/** `epoch` is that in which the call began that did not come through. */
export function decreaseLimit(pace: Concurrency, epoch: number): Concurrency {
  if (epoch < pace.epoch) return pace;
  return { ...pace, limit: Math.max(1, pace.limit / 2), epoch: pace.epoch + 1 };
}

export function wholeLimit({ limit }: Concurrency): number {
  return Math.floor(limit);
}

const FIRST_MS = 200;
const LONGEST_MS = 5_000;

/** The wait before the try after `tries`: any time up to a bound that doubles, so that those who wait spread out. */
export function backoffMs(tries: number, random: () => number): number {
  return Math.round(random() * Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(tries - 1, 10)));
}

/** What a run will cost, worked out beforehand. */
export type RunEstimate = { readonly writes: number; readonly ms: number | undefined };

/**
 * As many rounds as the writes fill, or as the longest chain of changes that wait for each other has; `latencyMs` is what
 * one call has taken so far, where it is known.
 */
export function estimateRun(
  changes: readonly Change[],
  parallelism: number,
  latencyMs: number | undefined,
): RunEstimate {
  const ends = new Map<ChangeId, number>();
  let writes = 0;
  let longest = 0;
  for (const change of changes) {
    const own = change.action === 'replace' ? 2 : 1;
    const end = change.dependsOn.reduce((latest, id) => Math.max(latest, ends.get(id) ?? 0), 0) + own;
    ends.set(idOf(change), end); // the changes stand in order, so what it waits for has been here
    writes += own;
    longest = Math.max(longest, end);
  }
  const rounds = Math.max(longest, Math.ceil(writes / parallelism));
  return { writes, ms: latencyMs === undefined ? undefined : rounds * latencyMs };
}

/** `212 writes, about 9 s` */
export function formatEstimate({ writes, ms }: RunEstimate): string {
  const count = `${writes} ${writes === 1 ? 'write' : 'writes'}`;
  if (ms === undefined) return count;
  if (ms < 1000) return `${count}, less than a second`;
  const seconds = Math.round(ms / 1000);
  return `${count}, about ${seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`}`;
}
