import type { Change } from '../../plan/change/plan.ts';
import type { Intent } from './call-journal.ts';

/** A change that may start, and what the journal knows of its first call. */
export type QueuedWrite = { readonly change: Change; readonly intent: Intent };

/** A run that is killed leaves no more than this in doubt beside what was in flight. */
const MOST = 256;

/**
 * Changes whose turn is next, while their intents go to the disk: no call should wait for that. It begins with one of them,
 * and has twice as many from then on whenever that turns out to be too few.
 */
export class WriteAheadQueue {
  readonly #queue: (QueuedWrite & { readonly depth: number })[] = [];
  #depth = 1;

  /**
   * How many more changes to add when so many may start at once. None until half of those ahead are gone: what is added
   * together goes to the disk together.
   */
  countToAdd(starting: number): number {
    const left = this.#queue.length - starting;
    return 2 * left > this.#depth ? 0 : this.#depth - left;
  }

  add(change: Change, intent: Intent): void {
    this.#queue.push({ change, intent, depth: this.#depth });
  }

  take(): QueuedWrite | undefined {
    const one = this.#queue.shift();
    if (one?.intent.isSynced() === false && one.depth === this.#depth)
      this.#depth = Math.min(MOST, 2 * this.#depth);
    return one;
  }

  /** None of them is made, and the journal knows that they never left. */
  readonly withdraw = (): void => {
    for (const { intent } of this.#queue.splice(0)) intent.recordResult('unsent');
  };
}
