import type { Place, Problem } from '../../model/problem.ts';
import { list } from '../../model/text/list.ts';
import type { Principal } from '../../model/principal.ts';
import { namePrincipal } from './tested.ts';

/** The problem of an expectation that does not hold for these principals. */
export function failure(at: Place, group: readonly Principal[], what: string): Problem {
  const [first, ...others] = group;
  const name = first === undefined ? '' : namePrincipal(first);
  const more =
    others.length === 0
      ? ''
      : `; ${others.length} more fail, such as ${list(others.slice(0, 3).map(namePrincipal))}`;
  return {
    code: 'failed-expectation',
    severity: 'error',
    message: `${name} ${what}${more}`,
    at,
    hint: 'gwconf effective --why shows what runs for each principal',
  };
}
