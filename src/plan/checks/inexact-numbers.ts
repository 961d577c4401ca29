import { valueAt } from '../../model/json/json.ts';
import { inexactNumbersIn } from '../../model/json/numbers.ts';
import type { Problem } from '../../model/problem.ts';
import { afterOf, type DraftChange } from '../change/plan.ts';
import type { PlannedChanges } from './world.ts';

/**
 * Changes that would send a number of the gateway back as JavaScript has rounded it, such as one in a field that gwconf
 * does not know and carries over.
 */
export function checkInexactNumbers({
  changes,
  live,
}: {
  readonly changes: ReadonlyMap<unknown, DraftChange>;
  readonly live: PlannedChanges['live'];
}): readonly Problem[] {
  return [...changes.values()].flatMap((change) => {
    const { address, action } = change;
    const now = live.resources.get(address);
    if (now === undefined || action === 'delete') return [];
    return inexactNumbersIn(now)
      .filter(({ path, text }) => valueAt(afterOf(change), path) === Number(text))
      .map(({ path, text }) => ({
        code: 'inexact-number',
        severity: 'error',
        message: `the ${action} of ${address} would change ${text} at ${path} on the gateway to ${Number(text)}: JSON clients such as gwconf cannot represent it exactly`,
        address,
        path,
        hint: `change it on the gateway with another client, or leave the object alone with --exclude ${address}`,
      }));
  });
}
