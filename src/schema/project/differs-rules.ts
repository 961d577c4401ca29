import { printPointer, type Pointer } from '../../model/json/json.ts';
import type { KindSet } from '../../model/kind.ts';
import type { Checked, Place, Problem } from '../../model/problem.ts';
import type { DiffersRule } from '../../model/rules.ts';
import { list } from '../../model/text/list.ts';
import { describe } from '../wording.ts';
import { globProblem } from './project-rules.ts';

/** The rules in the file, valid against `differsSchema`. */
export type RawDiffers = readonly Omit<DiffersRule, 'place'>[];

/** What is meant to differ between environments, each with its place; unknown kinds and environments are problems. */
export function differsIn(
  raw: RawDiffers,
  environments: readonly string[],
  kinds: KindSet,
  placeOf: (path: Pointer) => Place,
): Checked<readonly DiffersRule[]> {
  const pathTo = (...tokens: readonly (string | number)[]): Pointer => printPointer(['differs', ...tokens]);
  return {
    value: raw.map((rule, at) => ({ ...rule, place: placeOf(pathTo(at)) })),
    problems: raw.flatMap(({ address, between = [] }, at): readonly Problem[] => {
      const where = (path: Pointer): Pick<Problem, 'at' | 'path'> => ({ at: placeOf(path), path });
      return [
        ...globProblem(address, kinds, where(pathTo(at, 'address'))),
        ...between.flatMap((name, nth) =>
          environments.includes(name)
            ? []
            : [unknownEnvironment(name, environments, where(pathTo(at, 'between', nth)))],
        ),
      ];
    }),
  };
}

function unknownEnvironment(
  name: string,
  environments: readonly string[],
  where: Pick<Problem, 'at' | 'path'>,
): Problem {
  return {
    code: 'invalid-value',
    severity: 'error',
    message: `there is no environment ${describe(name)}`,
    ...where,
    hint: `use two of ${list(environments)}`,
  };
}
