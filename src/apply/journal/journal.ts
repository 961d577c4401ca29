import type { Address } from '../../model/resource.ts';
import { forTerminal } from '../../model/text/escape.ts';
import { type Action, type ChangeId, type StepName, idOf, type Change } from '../../plan/change/change.ts';
import type { Ledger, EntryOutcome } from '../events.ts';
import { printJson } from '../../model/json/json-text.ts';

export const JOURNAL_FORMAT = 'gwconf/journal@1';

/** A process that carries a run out, and since when (ISO 8601). A run that is resumed has several. */
export type RunProcess = {
  readonly at: string;
  readonly tool: string;
  readonly pid: number;
  readonly host: string;
};

/** Who began a run, and the commit and branch that it was made of, as far as that is known. */
export type RunAuthor = { readonly by?: string; readonly commit?: string; readonly branch?: string };

/** How many objects a plan creates, updates, replaces and deletes. */
export type RunCounts = Readonly<Record<Action, number>>;

/** The first line of a journal. */
export type StartRecord = RunProcess &
  RunAuthor & {
    readonly type: 'started';
    readonly format: typeof JOURNAL_FORMAT;
    readonly run: string;
    readonly gateway: string;
    readonly environment?: string;
    /** The run that this one undoes. */
    readonly undoes?: string;
    /** The objects that the run deleted to create again, and may not have created: known however often this run is resumed. */
    readonly deleted?: readonly Address[];
    /** The digest of the saved plan beside the journal. */
    readonly plan: string;
    /** The number of changes in that plan. */
    readonly changes: number;
    readonly counts?: RunCounts;
  };

/** The result of a call: `unsent` if it was never sent, `lost` if there was no response to tell. */
export type CallResult = 'done' | 'unchanged' | 'absent' | 'refused' | 'lost' | 'unsent';

/** One line of a journal. It contains neither bodies nor messages of the gateway, so no secrets. */
export type JournalRecord =
  | StartRecord
  /** On disk before the call is sent; `n` counts the calls of a run from 1. */
  | {
      readonly type: 'intent';
      readonly n: number;
      readonly call: 'put' | 'delete';
      readonly address: Address;
      readonly at: string;
    }
  | {
      readonly type: 'result';
      readonly n: number;
      readonly answer: CallResult;
      /** The HTTP status of a refusal. */
      readonly status?: number | undefined;
      readonly at: string;
    }
  /** The outcome of a change, as in the ledger. */
  | {
      readonly type: 'ended';
      readonly address: Address;
      readonly step?: StepName | undefined;
      readonly outcome: EntryOutcome;
      /** Why it failed, without secrets. */
      readonly why?: string | undefined;
    }
  | (RunProcess & { readonly type: 'resumed' })
  | { readonly type: 'finished'; readonly result: Ledger['result']; readonly at: string };

/** A call; without an answer only its intent is known. */
export type JournalCall = {
  readonly call: 'put' | 'delete';
  readonly answer?: CallResult;
};

/** What a journal says of its run. */
export type Journal = {
  readonly started: StartRecord;
  /** In order; the last one wrote the last lines. */
  readonly processes: readonly RunProcess[];
  /** The number of intents. */
  readonly calls: number;
  /** Outcomes of changes; a process that resumes tries again what was not done. */
  readonly outcomes: ReadonlyMap<ChangeId, { readonly outcome: EntryOutcome; readonly why?: string }>;
  /** The calls for each object since the last outcome of a change of it. */
  readonly open: ReadonlyMap<Address, readonly JournalCall[]>;
  /**
   * The objects that this run has written, `done` by a call that was confirmed and not found missing afterwards; else it
   * is unknown whether a call had an effect.
   */
  readonly written: ReadonlyMap<Address, 'done' | 'unknown'>;
  /** When the last call was begun, ISO 8601. */
  readonly lastCallAt?: string;
  /** What this run, or the one that it undoes, deleted and did not certainly create again. */
  readonly deleted: ReadonlySet<Address>;
  readonly finished?: { readonly result: Ledger['result']; readonly at: string };
};

/** A record as a line. One that resumes a run begins a new line: the last one may be torn. */
export function encodeRecord(record: JournalRecord): string {
  return forTerminal(`${record.type === 'resumed' ? '\n' : ''}${printJson(record)}\n`);
}

/** Whether a call with this result has had its effect. */
export function isSuccess(answer: CallResult | undefined): boolean {
  return answer === 'done' || answer === 'unchanged' || answer === 'absent';
}

/**
 * What a journal says of a change: its outcome; or that it was in flight when the journal ends, so that only the gateway
 * can tell the result; or that of a replace only the delete was made.
 */
export type ChangeStatus = EntryOutcome | 'in-flight' | 'half';

/** The status of each change of the plan that a journal belongs to. */
export function deriveStatuses(
  changes: readonly Change[],
  { outcomes, open }: Pick<Journal, 'outcomes' | 'open'>,
): ReadonlyMap<ChangeId, ChangeStatus> {
  // The changes of an object are made one after the other, so its open calls belong to the first that has not ended.
  const current = new Map<Address, Change>();
  for (const change of changes) {
    const earlier = current.get(change.address);
    if (earlier === undefined || outcomes.has(idOf(earlier))) current.set(change.address, change);
  }
  return new Map(
    changes.map((change) => {
      const calls = current.get(change.address) === change ? open.get(change.address) : undefined;
      const last = calls?.findLast(({ answer }) => answer !== 'unsent');
      return [idOf(change), deriveStatus(change, last, outcomes.get(idOf(change))?.outcome)];
    }),
  );
}

function deriveStatus(
  change: Change,
  last: JournalCall | undefined,
  outcome: EntryOutcome | undefined,
): ChangeStatus {
  if (last === undefined) return outcome ?? 'not-attempted';
  if (!isSuccess(last.answer)) return 'in-flight';
  if (outcome !== undefined) return outcome;
  return change.action === 'replace' && last.call === 'delete' ? 'half' : 'done';
}
