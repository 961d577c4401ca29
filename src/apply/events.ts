import { idOf, type Action, type Change, type ChangeId } from '../plan/change/plan.ts';
import type { LocatedProblem, Position } from '../model/problem.ts';
import type { Address } from '../model/resource.ts';

/** What became of one change. */
export type Entry = {
  readonly id: ChangeId;
  readonly address: Address;
  readonly action: Action;
  /** An extra step that the order needed, and why. */
  readonly step?: 'release';
  readonly reason?: string;
  /** The reason that a file gives for a delete. */
  readonly removal?: string;
  /** Where files ask for it. */
  readonly at?: Position;
} & (
  | { readonly outcome: 'done' | 'already' | 'not-attempted' }
  /** The gateway's own words, tied to the line that caused it. */
  | {
      readonly outcome: 'failed';
      readonly problem: LocatedProblem;
      /** Something was changed all the same. */
      readonly inHalf?: true;
    }
  /** What it waited for, that failed or was itself blocked. */
  | { readonly outcome: 'blocked'; readonly by: readonly ChangeId[] }
);
export type Outcome = Entry['outcome'];

/** The end of an apply: what became of every change, in the order of the plan. */
export type Ledger = {
  readonly result: 'applied' | 'no-changes' | 'partial' | 'failed' | 'interrupted';
  readonly entries: readonly Entry[];
};

/** How a run ends, also one that did not get as far as a ledger. */
export type ApplyResult = Ledger['result'] | 'stale' | 'blocked' | 'error';

export type ApplyEvent =
  | { readonly type: 'started'; readonly total: number }
  | { readonly type: 'applying'; readonly change: Change }
  /** It is tried again in so many milliseconds; `why` holds no secret. */
  | {
      readonly type: 'retrying';
      readonly change: Change;
      readonly why: string;
      readonly inMs: number;
    }
  /** A kind is read again: because responses were lost, or to see whether what was written is there. */
  | {
      readonly type: 'verifying';
      readonly kind: string;
      readonly reason: 'lost-responses' | 'written';
      /** How many changes wait for it. */
      readonly changes: number;
    }
  /** A kind could not be read again after the writes, so that its `done` is the word of the gateway alone. */
  | { readonly type: 'unverified'; readonly kind: string; readonly why: string }
  /** Comes twice for a change that was done and did not stick; the last one counts. */
  | { readonly type: 'ended'; readonly change: Change; readonly entry: Entry }
  | { readonly type: 'finished'; readonly ledger: Ledger };

/** What one word says of a whole ledger. */
export function summarizeResult(entries: readonly Entry[], interrupted: boolean): Ledger['result'] {
  const has = (...outcomes: readonly Outcome[]): boolean =>
    entries.some(({ outcome }) => outcomes.includes(outcome));
  if (interrupted && has('not-attempted', 'blocked', 'failed')) return 'interrupted';
  const changed =
    has('done', 'already') || entries.some((entry) => entry.outcome === 'failed' && entry.inHalf === true);
  if (has('failed', 'blocked', 'not-attempted')) return changed ? 'partial' : 'failed';
  return has('done') ? 'applied' : 'no-changes';
}

/** What every entry says of its change. */
export function entryFieldsOf(
  change: Change,
): Pick<Entry, 'id' | 'address' | 'action' | 'step' | 'reason' | 'removal' | 'at'> {
  const { address, action } = change;
  const step = change.action === 'update' && change.step !== undefined ? { step: change.step } : {};
  const reason = change.reason === undefined ? {} : { reason: change.reason };
  const removal =
    change.action === 'delete' && change.removal !== undefined ? { removal: change.removal } : {};
  const at = change.at === undefined ? {} : { at: change.at };
  return { id: idOf(change), address, action, ...step, ...reason, ...removal, ...at };
}
