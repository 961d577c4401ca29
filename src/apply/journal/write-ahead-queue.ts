import type { Change } from '../../plan/change/plan.ts';
import type { Intent } from './call-journal.ts';

/** A change that may start, and the intent of its first call. */
export type QueuedWrite = { readonly change: Change; readonly intent: Intent };

/** Beside the calls in flight, a run that is killed leaves at most this many in doubt. */
const MAX_DEPTH = 256;

/**
 * Changes that start next, while their intents are written to disk: calls should not wait for that. Its depth begins at
 * one and doubles whenever a call has to wait all the same.
 */
export class WriteAheadQueue {
  readonly #queue: (QueuedWrite & { readonly depth: number })[] = [];
  #depth = 1;

  /**
   * How many changes to add when `starting` of them may start at once. None until half of the queue is used up: intents
   * that are added together are written together.
   */
  countToAdd(starting: number): number {
    const left = this.#queue.length - starting;
    return 2 * left > this.#depth ? 0 : this.#depth - left;
  }

  add(change: Change, intent: Intent): void {
    this.#queue.push({ change, intent, depth: this.#depth });
  }

  take(): QueuedWrite | undefined {
    const next = this.#queue.shift();
    if (next?.intent.isSynced() === false && next.depth === this.#depth)
      this.#depth = Math.min(MAX_DEPTH, 2 * this.#depth);
    return next;
  }

  /** Empties the queue, and records that these calls were never sent. */
  readonly withdraw = (): void => {
    for (const { intent } of this.#queue.splice(0)) intent.recordResult('unsent');
  };
}
