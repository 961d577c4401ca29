import type { Clock } from '../apply/events.ts';
import { getOrAdd } from '../model/collect.ts';
import type { Taken } from './lease.ts';

/** How long a namespace that asked for a gateway counts as waiting for it. */
const PATIENCE_MS = 10_000;
const RETRY_MS = 500;

/**
 * Turns of namespaces that share a gateway: who had it last leaves it to others that wait. Otherwise many resources of one namespace would
 * keep the lock from those of another, which come by one by one.
 */
export function makeTurns({ now }: Pick<Clock, 'now'>) {
  const last = new Map<string, string>();
  const waiting = new Map<string, Map<string, number>>();
  return async (gateway: string, namespace: string, take: () => Promise<Taken>): Promise<Taken> => {
    const all = getOrAdd(waiting, gateway, () => new Map<string, number>());
    const isAwaited = [...all].some(([other, until]) => other !== namespace && until > now());
    const taken = isAwaited && last.get(gateway) === namespace ? { retryInMs: RETRY_MS } : await take();
    if ('held' in taken) {
      last.set(gateway, namespace);
      all.delete(namespace);
    } else all.set(namespace, now() + PATIENCE_MS);
    return taken;
  };
}
