import type { Address } from '../../model/resource.ts';
import { idOf, type Change, type ChangeId } from '../../plan/change/plan.ts';
import type { Outcome } from '../events.ts';
import { isSuccess, type Journal, type JournalCall } from './journal.ts';

/**
 * What a journal says of a change: its outcome; or that it was in flight when the journal ends, so that only the gateway
 * can tell the result; or that of a replace only the delete was made.
 */
export type ChangeStatus = Outcome | 'in-flight' | 'half';

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
  outcome: Outcome | undefined,
): ChangeStatus {
  if (last === undefined) return outcome ?? 'not-attempted';
  if (!isSuccess(last.answer)) return 'in-flight';
  if (outcome !== undefined) return outcome;
  return change.action === 'replace' && last.call === 'delete' ? 'half' : 'done';
}
