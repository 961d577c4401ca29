import { getOrAdd } from '../model/collect.ts';
import { metadataOf } from './resource.ts';
import type { Clock } from '../apply/events.ts';

/**
 * Keys to work on, each once, and no earlier than it is due. Of what is due, the namespace with the fewest that are being worked on is next, in turns: many slow resources of one keep those of no
 * other waiting for longer than one of them takes. `work` never rejects.
 */
export function makeQueue(clock: Clock, parallelism: number, work: (key: string) => Promise<void>) {
  const waiting = new Map<string, { readonly at: number; readonly timer: AbortController }>();
  const due = new Map<string, Set<string>>();
  const running = new Map<string, Promise<void>>();
  /** How many are being worked on of each namespace. */
  const busy = new Map<string, number>();
  /** When each namespace had its last turn. */
  const turns = new Map<string, number>();
  let turn = 0;
  /** Added while they were worked on, with when they are due. */
  const again = new Map<string, number>();
  let isStopped = false;

  const next = (): string | undefined => {
    let [best, least] = [undefined as string | undefined, [Infinity, Infinity] as readonly [number, number]];
    for (const [namespace, keys] of due) {
      const rank = [busy.get(namespace) ?? 0, turns.get(namespace) ?? 0] as const;
      if (rank[0] < least[0] || (rank[0] === least[0] && rank[1] < least[1]))
        [best, least] = [keys.values().next().value, rank];
    }
    return best;
  };
  const drop = (key: string): void => {
    const keys = due.get(metadataOf(key).namespace);
    keys?.delete(key);
    if (keys?.size === 0) due.delete(metadataOf(key).namespace);
  };
  const count = (namespace: string, more: number): void => {
    const own = (busy.get(namespace) ?? 0) + more;
    if (own === 0) busy.delete(namespace);
    else busy.set(namespace, own);
  };
  const pump = (): void => {
    while (!isStopped && running.size < parallelism) {
      const key = next();
      if (key === undefined) return;
      const namespace = metadataOf(key).namespace;
      drop(key);
      count(namespace, 1);
      turns.set(namespace, (turn += 1));
      const ended = work(key).finally(() => {
        running.delete(key);
        count(namespace, -1);
        const at = again.get(key);
        again.delete(key);
        if (at !== undefined) add(key, Math.max(0, at - clock.now()));
        pump();
      });
      running.set(key, ended);
    }
  };
  /** Adds a key, or brings it forward. While it is worked on, it waits. */
  const add = (key: string, inMs: number): void => {
    if (isStopped || due.get(metadataOf(key).namespace)?.has(key) === true) return;
    const at = clock.now() + inMs;
    if (running.has(key)) {
      again.set(key, Math.min(at, again.get(key) ?? Infinity));
      return;
    }
    const before = waiting.get(key);
    if (before !== undefined && before.at <= at) return;
    before?.timer.abort();
    const timer = new AbortController();
    waiting.set(key, { at, timer });
    void clock.wait(inMs, timer.signal).then(() => {
      if (timer.signal.aborted) return;
      waiting.delete(key);
      getOrAdd(due, metadataOf(key).namespace, () => new Set()).add(key);
      pump();
    });
  };
  const remove = (key: string): void => {
    waiting.get(key)?.timer.abort();
    waiting.delete(key);
    drop(key);
    again.delete(key);
  };
  return {
    add,
    remove,
    /** How many are being worked on, or are due. */
    depth: () => [...due.values()].reduce((sum, keys) => sum + keys.size, running.size),
    /** Begins nothing more; resolves once what was begun has ended. */
    async stop(): Promise<void> {
      isStopped = true;
      for (const key of [...waiting.keys()]) remove(key);
      due.clear();
      await Promise.all(running.values());
    },
  };
}
