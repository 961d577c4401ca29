import { GatewayError } from '../../gateway/gateway.ts';
import type { Address } from '../../model/resource.ts';
import type { CallResult, JournalRecord } from './journal.ts';
import type { Write } from '../effects.ts';

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

export type CallJournalOptions = {
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
          writer.addUnsynced({
            type: 'result',
            n,
            answer,
            ...(status !== undefined && { status }),
            at: now(),
          });
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
