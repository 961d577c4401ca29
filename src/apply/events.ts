import type { Action, Change, ChangeId } from '../plan/plan.ts';
import type { LocatedProblem } from '../model/problem.ts';
import type { Address } from '../model/resource.ts';

/** What became of one change. */
export type Entry = {
  readonly id: ChangeId;
  readonly address: Address;
  readonly action: Action;
  /** An extra step that the order needed, and why. */
  readonly step?: string;
  readonly reason?: string;
} & (
  | { readonly outcome: 'done' | 'already' | 'not-attempted' }
  /** The gateway's own words, tied to the line that caused it. */
  | { readonly outcome: 'failed'; readonly problem: LocatedProblem }
  /** What it waited for, that failed or was itself blocked. */
  | { readonly outcome: 'blocked'; readonly by: readonly ChangeId[] }
);
export type Outcome = Entry['outcome'];

/** The end of an apply: what became of every change, in the order of the plan. */
export type Ledger = {
  readonly result: 'applied' | 'no-changes' | 'partial' | 'failed' | 'interrupted';
  readonly entries: readonly Entry[];
};

export type ApplyEvent =
  | { readonly type: 'started'; readonly total: number }
  | { readonly type: 'applying'; readonly change: Change }
  | { readonly type: 'ended'; readonly change: Change; readonly entry: Entry }
  | { readonly type: 'finished'; readonly ledger: Ledger };

/** What one word says of a whole ledger. */
export function resultOf(entries: readonly Entry[], interrupted: boolean): Ledger['result'] {
  const has = (...outcomes: readonly Outcome[]): boolean =>
    entries.some(({ outcome }) => outcomes.includes(outcome));
  if (interrupted && has('not-attempted', 'blocked', 'failed')) return 'interrupted';
  if (has('failed', 'blocked', 'not-attempted')) return has('done', 'already') ? 'partial' : 'failed';
  return has('done') ? 'applied' : 'no-changes';
}
