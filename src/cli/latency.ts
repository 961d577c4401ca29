import type { Clock } from '../apply/clock.ts';
import type { Gateway } from '../gateway/gateway.ts';

/** The same gateway, and how long its lists have taken: the one in the middle, in milliseconds. */
export function timed(
  gateway: Gateway,
  clock: Clock,
): { readonly gateway: Gateway; readonly latencyMs: () => number | undefined } {
  const taken: number[] = [];
  return {
    gateway: {
      ...gateway,
      list: async (kind) => {
        const start = clock.now();
        const listed = await gateway.list(kind);
        taken.push(clock.now() - start);
        return listed;
      },
    },
    latencyMs: () => taken.sort((one, other) => one - other)[Math.floor(taken.length / 2)],
  };
}
