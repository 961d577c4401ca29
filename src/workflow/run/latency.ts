import type { Clock } from '../../apply/clock.ts';
import type { Gateway } from '../../gateway/gateway.ts';

/** The same gateway, and the median of the time that its lists have taken, in milliseconds. */
export function measureLatency(
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
