import { valueAt, type Pointer } from '../../model/json/json.ts';
import { inexactNumbersIn, nearestNumber } from '../../model/json/numbers.ts';
import { knownKind } from '../../model/kind.ts';
import type { Problem } from '../../model/problem.ts';
import { secretPlaces } from '../../model/secrets/secrets.ts';
import { afterOf, formerSources, type DraftChange } from '../change/plan.ts';
import { HIDDEN } from '../secrets/redact.ts';
import type { PlannedChanges } from './world.ts';

/**
 * Changes that would send a number of the gateway back as JavaScript has rounded it, such as one in a field that gwconf
 * does not know and carries over.
 */
export function checkInexactNumbers({
  changes,
  live,
  kinds,
}: Pick<PlannedChanges, 'live' | 'kinds'> & {
  readonly changes: ReadonlyMap<unknown, DraftChange>;
}): readonly Problem[] {
  return [...changes.values()].flatMap((change) => {
    const { address, action } = change;
    const now = live.resources.get(address);
    if (now === undefined || action === 'delete') return [];
    const secret = secretPlaces(knownKind(address, kinds), now, formerSources(change));
    const shown = (path: Pointer, number: string | number): string =>
      secret.has(path) ? HIDDEN : String(number);
    return inexactNumbersIn(now)
      .filter(({ path, text }) => valueAt(afterOf(change), path) === nearestNumber(text))
      .map(({ path, text }) => ({
        code: 'inexact-number',
        severity: 'error',
        message: `the ${action} of ${address} would change ${shown(path, text)} at ${path} on the gateway to ${shown(path, nearestNumber(text))}: JSON clients such as gwconf cannot represent it exactly`,
        address,
        path,
        hint: `change it on the gateway with another client, or leave the object alone with --exclude ${address}`,
      }));
  });
}
