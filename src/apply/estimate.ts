import type { Bounds } from './limiter/concurrency.ts';
import { idOf, type Change, type ChangeId } from '../plan/change/plan.ts';

/** The cost of a run, estimated before it starts. */
export type RunEstimate = { readonly writes: number; readonly ms: number | undefined };

/**
 * The time is the number of rounds times `latencyMs`, the duration of one call so far, where it is known. There are as
 * many rounds as the writes fill, or as the longest chain of dependent changes has. The estimate assumes that the calls in
 * flight double each round, from `start` to `max`.
 */
export function estimateRun(
  changes: readonly Change[],
  { start, max }: Bounds,
  latencyMs: number | undefined,
): RunEstimate {
  const ends = new Map<ChangeId, number>();
  let writes = 0;
  let longest = 0;
  for (const change of changes) {
    const own = change.action === 'replace' ? 2 : 1;
    const end = change.dependsOn.reduce((latest, id) => Math.max(latest, ends.get(id) ?? 0), 0) + own;
    ends.set(idOf(change), end); // dependencies come first in the plan, so theirs are known
    writes += own;
    longest = Math.max(longest, end);
  }
  const rounds = Math.max(longest, countRounds(writes, start, max));
  return { writes, ms: latencyMs === undefined ? undefined : rounds * latencyMs };
}

function countRounds(writes: number, start: number, max: number): number {
  let rounds = 0;
  let left = writes;
  for (let width = start; left > 0 && width < max; width = Math.min(max, width * 2)) {
    left -= width;
    rounds += 1;
  }
  return rounds + Math.ceil(Math.max(0, left) / max);
}

/** `212 writes, about 9 s` */
export function formatEstimate({ writes, ms }: RunEstimate): string {
  const count = `${writes} ${writes === 1 ? 'write' : 'writes'}`;
  if (ms === undefined) return count;
  if (ms < 1000) return `${count}, less than a second`;
  const seconds = Math.round(ms / 1000);
  return `${count}, about ${seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`}`;
}
