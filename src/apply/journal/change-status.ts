import type { Address } from '../../model/resource.ts';
import { idOf, type Change, type ChangeId } from '../../plan/change/plan.ts';
import type { Outcome } from '../events.ts';
import { isSuccess, type Journal, type JournalCall } from './journal.ts';

/**
 * What a journal tells of a change: as the ledger does; or that it was in flight when the journal ends, so that only the
 * gateway can tell what came of it; or that a replace was cut in half, and what it is for is deleted.
 */
export type ChangeStatus = Outcome | 'in-flight' | 'half';

/** What is known of each change of the plan that a journal is of. */
export function deriveStatuses(
  changes: readonly Change[],
  { outcomes, open }: Pick<Journal, 'outcomes' | 'open'>,
): ReadonlyMap<ChangeId, ChangeStatus> {
  // The changes of an object are made one after the other, so its open calls are of the first that has not ended.
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
  outcome: Outcome | undefined,
): ChangeStatus {
  if (last === undefined) return outcome ?? 'not-attempted';
  if (!isSuccess(last.answer)) return 'in-flight';
  if (outcome !== undefined) return outcome;
  return change.action === 'replace' && last.call === 'delete' ? 'half' : 'done';
}
