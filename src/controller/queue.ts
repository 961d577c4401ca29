import type { Clock } from '../apply/events.ts';

/** Keys to work on, each once, and no earlier than it is due. */
export type Queue = {
  /** Adds a key, or brings it forward. While it is worked on, it waits. */
  readonly add: (key: string, inMs: number) => void;
  readonly remove: (key: string) => void;
  /** How many are being worked on, or are due. */
  readonly depth: () => number;
  /** Begins nothing more; resolves once what was begun has ended. */
  readonly stop: () => Promise<void>;
};

/** `work` never rejects. */
export function makeQueue(clock: Clock, parallelism: number, work: (key: string) => Promise<void>): Queue {
  const waiting = new Map<string, { readonly at: number; readonly timer: AbortController }>();
  const due = new Set<string>();
  const running = new Map<string, Promise<void>>();
  /** Added while they were worked on, with when they are due. */
  const again = new Map<string, number>();
  let isStopped = false;

  const pump = (): void => {
    for (const key of due) {
      if (isStopped || running.size >= parallelism) return;
      due.delete(key);
      const ended = work(key).finally(() => {
        running.delete(key);
        const at = again.get(key);
        again.delete(key);
        if (at !== undefined) add(key, Math.max(0, at - clock.now()));
        pump();
      });
      running.set(key, ended);
    }
  };
  const add = (key: string, inMs: number): void => {
    if (isStopped || due.has(key)) return;
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
      due.add(key);
      pump();
    });
  };
  const remove = (key: string): void => {
    waiting.get(key)?.timer.abort();
    waiting.delete(key);
    due.delete(key);
    again.delete(key);
  };
  return {
    add,
    remove,
    depth: () => due.size + running.size,
    async stop() {
      isStopped = true;
      for (const key of [...waiting.keys()]) remove(key);
      due.clear();
      await Promise.all(running.values());
    },
  };
}
