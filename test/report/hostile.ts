import type { LocatedProblem } from '../../src/model/problem.ts';
import { addressOf } from '../../src/model/kind.ts';

export const TOOL = 'gwconf 1.2.3';

/** A problem with every field. */
export const FULL: LocatedProblem = {
  code: 'duplicate-resource',
  severity: 'error',
  message: 'AliasTopic/orders is declared twice',
  at: { file: './topics/orders.yaml', line: 9, column: 3 },
  also: { file: 'topics/more.yaml', line: 2, column: 5 },
  address: addressOf('AliasTopic', 'orders'),
  path: '/metadata/name',
  hint: 'keep one of the two',
};

/** Characters that would break out of a message if they were not escaped. */
export const NASTY =
  'a\u0000b\u001b[31mc\u0085d\u2028e\u202ef\ud800g\ufffeh\r\n::error::x,y%0A<&>"\'{0} ]]> [t](u) --> 🦆';

export const HOSTILE: LocatedProblem = {
  code: 'invalid-value',
  severity: 'warning',
  message: NASTY,
  at: { file: `C:\\a b\\${NASTY}.yaml`, line: 1, column: 1 },
  hint: NASTY,
};

/** A problem in no file. */
export const PLACELESS: LocatedProblem = {
  code: 'connection-error',
  severity: 'error',
  message: 'the gateway cannot be reached',
};

export const INFO: LocatedProblem = {
  code: 'unusual-value',
  severity: 'info',
  message: 'that is unusual',
  at: { file: '../up/a.yaml', line: 4, column: 1 },
};
