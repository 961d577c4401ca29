import type { Clock } from '../../apply/clock.ts';
import type { ReadableGateway } from '../../gateway/gateway.ts';

/** The same gateway, and the median of the time that its lists have taken, in milliseconds. */
export function measureLatency<G extends Pick<ReadableGateway, 'list'>>(
  gateway: G,
  clock: Clock,
): { readonly gateway: G; readonly latencyMs: () => number | undefined } {
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
