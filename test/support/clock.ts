import { setMaxListeners } from 'node:events';
import type { Clock } from '../../src/apply/events.ts';

/** A clock that stands still until somebody waits for it, and then jumps: nothing sleeps. */
export type VirtualClock = Clock & {
  /** What was waited for, in milliseconds, in the order in which it was begun. */
  readonly waits: readonly number[];
};

/** `random` says how much of each wait that is left to chance is taken; all of it unless told. */
export function virtualClock(random: () => number = () => 1): VirtualClock {
  const waits: number[] = [];
  const sleepers: { readonly due: number; readonly wake: () => void }[] = [];
  let now = 0;
  // One at a time, and each after all that the one before set going.
  const next = (): void => {
    const [first] = sleepers.sort((one, other) => one.due - other.due);
    if (first === undefined) return;
    now = Math.max(now, first.due);
    first.wake();
  };
  return {
    waits,
    now: () => now,
    random,
    wait(ms, signal) {
      waits.push(ms);
      if (signal.aborted) return Promise.resolve();
      setMaxListeners(0, signal);
      return new Promise((resolve) => {
        const wake = (): void => {
          const at = sleepers.indexOf(sleeper);
          if (at !== -1) sleepers.splice(at, 1);
          signal.removeEventListener('abort', wake);
          resolve();
        };
        const sleeper = { due: now + ms, wake };
        sleepers.push(sleeper);
        signal.addEventListener('abort', wake);
        setImmediate(next);
      });
    },
  };
}
