import { largestOf } from '../model/collect.ts';
import { formatCount } from '../model/text/list.ts';
import { idOf, type Change, type ChangeId } from '../plan/change/change.ts';
import type { Exposure } from '../plan/change/plan.ts';
import type { Bounds } from './limiter/limiter.ts';

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
  const count = formatCount(writes, 'write');
  if (ms === undefined) return count;
  if (ms < 1000) return `${count}, less than a second`;
  const seconds = Math.round(ms / 1000);
  return `${count}, about ${seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`}`;
}

/**
 * Adds how long each exposure lasts: the rounds of calls from the change that begins it to the one that ends it, times
 * `latencyMs`, the duration of one call so far.
 */
export function timeExposures(
  exposures: readonly Exposure[],
  changes: readonly Change[],
  bounds: Bounds,
  latencyMs: number | undefined,
): readonly Exposure[] {
  if (latencyMs === undefined || exposures.every(({ lasting }) => lasting)) return exposures;
  const rounds = planRounds(changes, bounds);
  return exposures.map((exposure) => {
    const { from, until } = exposure;
    const [begins, ends] = [
      rounds.get(from)?.first,
      until === undefined ? undefined : rounds.get(until)?.last,
    ];
    if (begins === undefined || ends === undefined) return exposure;
    const seconds = Math.ceil((Math.max(1, ends - begins) * latencyMs) / 1000);
    return { ...exposure, seconds: Math.max(1, seconds) };
  });
}

/** The rounds of the first and last call of a change. */
type Rounds = { readonly first: number; readonly last: number };

/** When each change is made if all calls take one round, and the calls in flight double from round to round. */
function planRounds(changes: readonly Change[], { start, max }: Bounds): ReadonlyMap<ChangeId, Rounds> {
  const rounds = new Map<ChangeId, Rounds>();
  const used: number[] = [];
  const next: number[] = [];
  const findFree = (from: number): number => {
    let free = from;
    while ((used[free] ?? 0) >= Math.min(max, start * 2 ** Math.min(free, 30))) free = next[free] ?? free + 1;
    for (let at = from, after = 0; at < free; at = after) {
      after = next[at] ?? at + 1;
      next[at] = free;
    }
    return free;
  };
  let stage2 = 0;
  for (const change of changes) {
    const ends = change.dependsOn.map((id) => rounds.get(id)?.last ?? -1);
    const first = findFree(largestOf([...ends.map((end) => end + 1), change.stage === 2 ? stage2 : 0]));
    const last = change.action === 'replace' ? first + 1 : first;
    for (let round = first; round <= last; round += 1) used[round] = (used[round] ?? 0) + 1;
    if (change.stage === 1) stage2 = Math.max(stage2, last + 1);
    rounds.set(idOf(change), { first, last });
  }
  return rounds;
}
