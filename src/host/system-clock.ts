import { setMaxListeners } from 'node:events';
import type { Clock } from '../apply/clock.ts';

/** The clock of the machine, and its random numbers. */
export const systemClock: Clock = {
  now: () => performance.now(),
  random: Math.random,
  wait: (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) {
        resolve();
        return;
      }
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      setMaxListeners(0, signal); // each write that is retried waits
      const timer = setTimeout(end, ms);
      signal.addEventListener('abort', end);
    }),
};
