import { idOf, type Action, type Change, type ChangeId, type StepName } from '../plan/change/change.ts';
import type { LocatedProblem, Position } from '../model/problem.ts';
import type { Address } from '../model/resource.ts';

/** The result of one change. */
export type Entry = {
  readonly id: ChangeId;
  readonly address: Address;
  readonly action: Action;
  /** An extra step that the order required, and why. */
  readonly step?: StepName;
  readonly reason?: string;
  /** The reason for a delete, as a file states it. */
  readonly removal?: string;
  /** Of a delete: what takes its place. */
  readonly movedTo?: Address;
  /** Where it is declared. */
  readonly at?: Position;
} & (
  | { readonly outcome: 'done' | 'already' | 'not-attempted' }
  /** With the gateway's own message and the line that caused it. */
  | {
      readonly outcome: 'failed';
      readonly problem: LocatedProblem;
      /** Something was changed nevertheless: half of a replace, or a write that was overtaken. */
      readonly changed?: true;
      /** The same change may succeed later: the gateway did not reject its content. */
      readonly canRetry?: true | 'with-other-login';
    }
  /** By dependencies that failed or were blocked themselves. */
  | { readonly outcome: 'blocked'; readonly by: readonly ChangeId[] }
);
export type EntryOutcome = Entry['outcome'];

/** The result of an apply: an entry for every change, in plan order. */
export type Ledger = {
  readonly result: 'applied' | 'no-changes' | 'partial' | 'failed' | 'interrupted';
  readonly entries: readonly Entry[];
};

/** How a run ends, also one that did not get as far as a ledger. */
export type ApplyResult = Ledger['result'] | 'stale' | 'blocked' | 'error';

export type ApplyEvent =
  | { readonly type: 'started'; readonly total: number }
  | { readonly type: 'applying'; readonly change: Change }
  /** Will be tried again in `inMs` milliseconds; `why` contains no secret. */
  | {
      readonly type: 'retrying';
      readonly change: Change;
      readonly why: string;
      readonly inMs: number;
    }
  /** A kind is read: because responses were lost, or to verify what was written. `changes` counts the changes waiting for it. */
  | {
      readonly type: 'verifying';
      readonly kind: string;
      readonly reason: 'lost-responses' | 'written';
      readonly changes: number;
    }
  /** A kind could not be read after the writes: its `done` entries are confirmed by the gateway's response only. */
  | { readonly type: 'unverified'; readonly kind: string; readonly why: string }
  /** So many writes are not in effect yet, or cannot be read: they are read again for as long as `forMs`. */
  | { readonly type: 'unsettled'; readonly changes: number; readonly forMs: number }
  /** Comes a second time for a change that turns out not to have lasted; the later one counts. */
  | { readonly type: 'ended'; readonly change: Change; readonly entry: Entry }
  | { readonly type: 'finished'; readonly ledger: Ledger };

/** The result of a whole ledger. */
export function summarizeResult(entries: readonly Entry[], interrupted: boolean): Ledger['result'] {
  const has = (...outcomes: readonly EntryOutcome[]): boolean =>
    entries.some(({ outcome }) => outcomes.includes(outcome));
  if (interrupted && has('not-attempted', 'blocked', 'failed')) return 'interrupted';
  const changed =
    has('done', 'already') || entries.some((entry) => entry.outcome === 'failed' && entry.changed === true);
  if (has('failed', 'blocked', 'not-attempted')) return changed ? 'partial' : 'failed';
  return has('done') ? 'applied' : 'no-changes';
}

/** Whether the same changes can still be made: an interrupted run, and one with failures that may pass. */
export function canResume(entries: readonly Entry[]): boolean {
  const failed = entries.filter((entry) => entry.outcome === 'failed');
  return failed.length === 0
    ? entries.some(({ outcome }) => outcome === 'not-attempted')
    : failed.some(({ canRetry }) => canRetry !== undefined);
}

/** Whether its own write changed the gateway: half of a replace, too, can be undone. */
export function hasChanged(entry: Entry): boolean {
  const { outcome, action } = entry;
  return outcome === 'done' || (outcome === 'failed' && entry.changed === true && action === 'replace');
}

/** The fields that an entry takes from its change. */
export function entryFieldsOf(change: Change): EntryFields {
  const { address, action, reason, at } = change;
  const fields: { -readonly [Field in keyof EntryFields]: EntryFields[Field] } = {
    id: idOf(change),
    address,
    action,
  };
  if ('step' in change) fields.step = change.step;
  if (reason !== undefined) fields.reason = reason;
  if (change.action === 'delete' && change.removal !== undefined) fields.removal = change.removal;
  if (change.action === 'delete' && change.movedTo !== undefined) fields.movedTo = change.movedTo;
  if (at !== undefined) fields.at = at;
  return fields;
}

type EntryFields = Pick<
  Entry,
  'id' | 'address' | 'action' | 'step' | 'reason' | 'removal' | 'movedTo' | 'at'
>;

/** Time and randomness are passed in, so that tests need neither. */
export type Clock = {
  /** Milliseconds since an arbitrary point. */
  readonly now: () => number;
  /** Resolves after `ms` milliseconds, or when the signal is aborted; never rejects. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** A random number from 0 to 1. */
  readonly random: () => number;
};
