import { DEFAULT_SETTLE_TIMEOUT_MS } from '../../apply/apply.ts';
import { RetryBudget } from '../../apply/limiter/retries.ts';
import type { Problem } from '../../model/problem.ts';
import { isStep } from '../../plan/change/plan.ts';
import type { SavedChange } from '../../plan/saved/saved-plan.ts';
import type { Run } from './run.ts';

/** What a journal says was written before, which a gateway whose reads lag may not show yet. */
export type EarlierWrites = {
  /** Whether the live state is without the write of this object, `isMade` being whether it is as the change makes it. */
  readonly findUnshown: (change: SavedChange, isMade: boolean) => 'done' | 'unknown' | undefined;
  /** When the last call was begun, ISO 8601: from then on they have the settle timeout to show. */
  readonly lastCallAt: string | undefined;
  /** What a confirmed write is that does not show in time; undefined when the change is simply made again. */
  readonly describeLost?: (change: SavedChange) => Problem;
};

/**
 * Reads again, by `read`, until all earlier writes show, or their time is over. Returns the last reading, and a problem
 * for each confirmed write that does not show.
 */
export async function awaitWrites<T>(
  run: Run,
  changes: readonly SavedChange[],
  { findUnshown, lastCallAt, describeLost }: EarlierWrites,
  read: () => Promise<{ readonly value: T; readonly isMade: (change: SavedChange) => boolean }>,
): Promise<{ readonly value: T; readonly lost: readonly Problem[] }> {
  const { host, signal, settleTimeoutMs: settle = DEFAULT_SETTLE_TIMEOUT_MS } = run;
  const passed = lastCallAt === undefined ? 0 : host.now().getTime() - Date.parse(lastCallAt);
  const left = settle - Math.min(Math.max(passed, 0), settle);
  const retries = new RetryBudget({ clock: host.clock, settleTimeoutMs: left });
  for (let round = 1; ; round += 1) {
    const { value, isMade } = await read();
    const own = changes.filter((change) => !isStep(change));
    const unshown = own.filter((change) => findUnshown(change, isMade(change)) !== undefined);
    const delay = unshown.length === 0 || signal.aborted ? undefined : retries.nextDelay();
    if (delay === undefined) {
      const confirmed = unshown.filter((change) => findUnshown(change, isMade(change)) === 'done');
      return { value, lost: describeLost === undefined ? [] : confirmed.map(describeLost) };
    }
    if (round === 1) run.emit({ type: 'waiting-for-writes', objects: unshown.length, forMs: left });
    await host.clock.wait(delay, signal);
  }
}
