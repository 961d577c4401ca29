import { GatewayError } from '../../gateway/gateway.ts';
import type { Address } from '../../model/resource.ts';
import type { CallResult, JournalRecord } from './journal.ts';
import type { Write } from '../effects.ts';

/** Where records go, in the order in which they are given. */
export type JournalWriter = {
  /** Resolves when the record is safe; rejects when it cannot be written. */
  readonly add: (record: JournalRecord) => Promise<void>;
  /** A record that nobody waits for. */
  readonly addUnsynced: (record: JournalRecord) => void;
};

/** Keeps in the journal what a run is about to call, and what it was answered. */
export type CallJournal = {
  /** Says that a call is about to be made; it must not leave before that is `safe`. */
  readonly recordIntent: (step: Write, address: Address) => Intent;
};

/** A call that the journal knows of. */
export type Intent = {
  /** Resolves once the intent is on disk; with an unsent error when it cannot be written. Never rejects. */
  readonly synced: Promise<GatewayError | undefined>;
  /** Whether it is there already. */
  readonly isSynced: () => boolean;
  /** What came of the call; `status` is that of an answer which says no. */
  readonly recordResult: (answer: CallResult, status?: number) => void;
};

export type CallJournalOptions = {
  /** ISO 8601. */
  readonly now: () => string;
  /** How many calls earlier sittings have made. */
  readonly before: number;
};

export function makeCallJournal(recorder: JournalWriter, { now, before }: CallJournalOptions): CallJournal {
  let calls = before;
  return {
    recordIntent(step, address) {
      const call = step.call === 'put' ? 'put' : 'delete';
      calls += 1;
      const n = calls;
      let isSafe = false;
      const written = (): undefined => {
        isSafe = true;
      };
      return {
        synced: recorder.add({ type: 'intent', n, call, address, at: now() }).then(written, unwritten),
        isSynced: () => isSafe,
        recordResult(answer, status) {
          const said = status === undefined ? {} : { status };
          // Without it the intent stands, and what became of it is found out by reading.
          recorder.addUnsynced({ type: 'result', n, answer, ...said, at: now() });
        },
      };
    },
  };
}

/** For a run of which nothing is kept. */
export const NO_JOURNAL: CallJournal = {
  recordIntent: () => ({
    synced: Promise.resolve(undefined),
    isSynced: () => true,
    recordResult: () => undefined,
  }),
};

function unwritten(cause: unknown): GatewayError {
  return new GatewayError('unreachable', 'the journal could not be written before it', {
    unsent: true,
    cause,
  });
}
