import { GatewayError } from '../../gateway/gateway.ts';
import type { Address } from '../../model/resource.ts';
import type { Answer, JournalRecord } from './journal.ts';
import type { Step } from '../effects.ts';

/** Where records go, in the order in which they are given. */
export type Recorder = {
  /** Resolves when the record is safe; rejects when it cannot be written. */
  readonly add: (record: JournalRecord) => Promise<void>;
  /** A record that nobody waits for. */
  readonly note: (record: JournalRecord) => void;
};

/** Keeps in the journal what a run is about to call, and what it was answered. */
export type CallJournal = {
  /** Says that a call is about to be made; it must not leave before that is `safe`. */
  readonly intend: (step: Step, address: Address) => Intent;
};

/** A call that the journal knows of. */
export type Intent = {
  /** Resolves once the intent is on disk; with an unsent error when it cannot be written. Never rejects. */
  readonly safe: Promise<GatewayError | undefined>;
  /** Whether it is there already. */
  readonly isSafe: () => boolean;
  /** What came of the call; `status` is that of an answer which says no. */
  readonly answered: (answer: Answer, status?: number) => void;
};

export type CallJournalOptions = {
  /** ISO 8601. */
  readonly now: () => string;
  /** How many calls earlier sittings have made. */
  readonly before: number;
};

export function callJournal(recorder: Recorder, { now, before }: CallJournalOptions): CallJournal {
  let calls = before;
  return {
    intend(step, address) {
      const call = step.call === 'put' ? 'put' : 'delete';
      calls += 1;
      const n = calls;
      let isSafe = false;
      const written = (): undefined => {
        isSafe = true;
      };
      return {
        safe: recorder.add({ type: 'intent', n, call, address, at: now() }).then(written, unwritten),
        isSafe: () => isSafe,
        answered(answer, status) {
          const said = status === undefined ? {} : { status };
          // Without it the intent stands, and what became of it is found out by reading.
          recorder.note({ type: 'result', n, answer, ...said, at: now() });
        },
      };
    },
  };
}

/** For a run of which nothing is kept. */
export const NO_JOURNAL: CallJournal = {
  intend: () => ({ safe: Promise.resolve(undefined), isSafe: () => true, answered: () => undefined }),
};

function unwritten(cause: unknown): GatewayError {
  return new GatewayError('unreachable', 'the journal could not be written before it', {
    unsent: true,
    cause,
  });
}
