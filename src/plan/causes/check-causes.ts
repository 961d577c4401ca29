import type { Problem } from '../../model/problem.ts';
import type { Cause } from '../change/cause.ts';
import type { Change } from '../change/plan.ts';
import { isStep } from '../change/plan.ts';

/** Whether a change, or a field of it, has a cause. */
export function hasCause(
  { cause, fieldCauses = {} }: Pick<Change, 'cause' | 'fieldCauses'>,
  wanted: Cause,
): boolean {
  return cause === wanted || (cause === 'mixed' && Object.values(fieldCauses).includes(wanted));
}

const MOST_NAMES = 5;

const CURES: Readonly<Record<Cause, string>> = {
  branch: 'leave these changes out of the branch',
  base: 'apply what is merged, then plan again',
  drift:
    'take what is on the gateway into the files with gwconf import --drift, or put it back with gwconf apply on the base',
  'base-or-drift': 'apply what is merged, or look with gwconf drift who changed the gateway',
};

/** A problem for each cause that is not wanted and that changes have. */
export function checkCauses(changes: readonly Change[], unwanted: readonly Cause[]): readonly Problem[] {
  return [...new Set(unwanted)].flatMap((cause): readonly Problem[] => {
    const found = changes.filter((change) => !isStep(change) && hasCause(change, cause));
    if (found.length === 0) return [];
    const names = found.slice(0, MOST_NAMES).map(({ address }) => address);
    const more = found.length > names.length ? ` and ${found.length - names.length} more` : '';
    const count = found.length === 1 ? 'a change has' : `${found.length} changes have`;
    return [
      {
        code: 'unwanted-cause',
        severity: 'error',
        message: `${count} the cause ${cause}, which --fail-on names: ${names.join(', ')}${more}`,
        hint: CURES[cause],
      },
    ];
  });
}
