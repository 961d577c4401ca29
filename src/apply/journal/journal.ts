import type { Address } from '../../model/resource.ts';
import type { Plain } from '../../model/shape.ts';
import { forTerminal } from '../../model/text/escape.ts';
import { type ChangeId, idOf, type Change } from '../../plan/change/change.ts';
import type { Ledger, EntryOutcome } from '../events.ts';
import { printJson } from '../../model/json/json-text.ts';
import type { record, runAuthor, runProcess, started } from './record-shape.ts';

export const JOURNAL_FORMAT = 'gwconf/journal@1';

export type RunProcess = Plain<typeof runProcess>;

export type RunAuthor = Plain<typeof runAuthor>;

export type StartRecord = Plain<typeof started>;

/** One line of a journal. */
export type JournalRecord = Plain<typeof record>;

/** The record of one type. */
export type RecordOf<T extends JournalRecord['type']> = Extract<JournalRecord, { readonly type: T }>;

/** The result of a call. */
export type CallResult = RecordOf<'result'>['answer'];

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
  /** The objects for which a call left, or may have: a gateway may have done what it refused. */
  readonly called: ReadonlySet<Address>;
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
