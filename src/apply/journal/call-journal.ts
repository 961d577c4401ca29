import { GatewayError } from '../../gateway/gateway.ts';
import type { Address } from '../../model/resource.ts';
import type { Change } from '../../plan/change/change.ts';
import type { Write } from '../effects.ts';
import type { CallResult, JournalRecord } from './journal.ts';

/** Where records go, in the order in which they are added. */
export type JournalWriter = {
  /** Resolves once the record is on disk; rejects when it cannot be written. */
  readonly add: (record: JournalRecord) => Promise<void>;
  /** Adds a record without waiting for the disk. */
  readonly addUnsynced: (record: JournalRecord) => void;
};

/** Records each call of a run before it is made, and its result. */
export type CallJournal = {
  /** Records that a call is about to be made; it must not be sent before the intent is `synced`. */
  readonly recordIntent: (write: Write, address: Address) => Intent;
};

/** A call that the journal knows of. */
export type Intent = {
  /** Resolves once the intent is on disk, to an unsent error when it cannot be written. Never rejects. */
  readonly synced: Promise<GatewayError | undefined>;
  readonly isSynced: () => boolean;
  /** `status` is the HTTP status of a refusal. */
  readonly recordResult: (result: CallResult, status?: number) => void;
};

type CallJournalOptions = {
  /** ISO 8601. */
  readonly now: () => string;
  /** The number of calls that the run made before it was resumed. */
  readonly before: number;
};

export function makeCallJournal(writer: JournalWriter, { now, before }: CallJournalOptions): CallJournal {
  let calls = before;
  return {
    recordIntent(write, address) {
      const call = write.call === 'put' ? 'put' : 'delete';
      calls += 1;
      const n = calls;
      let isSynced = false;
      const setSynced = (): undefined => {
        isSynced = true;
      };
      return {
        synced: writer.add({ type: 'intent', n, call, address, at: now() }).then(setSynced, makeUnsentError),
        isSynced: () => isSynced,
        recordResult(answer, status) {
          // If it gets lost the intent remains, and reading the gateway tells the result.
          writer.addUnsynced({ type: 'result', n, answer, status, at: now() });
        },
      };
    },
  };
}

/** For a run without a journal. */
export const NO_JOURNAL: CallJournal = {
  recordIntent: () => ({
    synced: Promise.resolve(undefined),
    isSynced: () => true,
    recordResult: () => undefined,
  }),
};

function makeUnsentError(cause: unknown): GatewayError {
  return new GatewayError('unreachable', 'the journal cannot be written, so the call was not made', {
    unsent: true,
    cause,
  });
}

/** A change that may start, and the intent of its first call. */
type QueuedWrite = { readonly change: Change; readonly intent: Intent };

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
