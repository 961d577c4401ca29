import type { Pointer } from '../../model/json/json.ts';
import { printPointer } from '../../model/json/json.ts';
import { makeProblem, type Checked, type Place, type Problem } from '../../model/problem.ts';
import { compileGlob } from '../../model/text/glob.ts';
import { list } from '../../model/text/list.ts';
import { parseDuration } from '../../model/text/quantities.ts';
import { describe } from '../wording.ts';

/** Environments that are applied side by side, after those before them. */
export type Wave = {
  /** Globs for names. */
  readonly environments: readonly string[];
  /** How long to wait once it is applied. */
  readonly waitMs: number;
  /** The commands that must find nothing wrong then. */
  readonly checks: readonly WaveCheck[];
};
export type WaveCheck = 'drift' | 'test' | 'doctor';

/** As in gwconf.yaml. */
export type RawWave =
  | readonly string[]
  | {
      readonly environments: readonly string[];
      readonly wait?: string;
      readonly check?: readonly WaveCheck[];
    };

/** The waves of a project. A glob that matches no environment may be a mistake, which would move one to the end. */
export function wavesIn(
  raw: readonly RawWave[],
  names: readonly string[],
  placeOf: (path: Pointer) => Place,
): Checked<readonly Wave[]> {
  const problems: Problem[] = [];
  const value = raw.map((one, at): Wave => {
    const isPlain = 'length' in one;
    const environments = isPlain ? one : one.environments;
    for (const [nth, glob] of environments.entries()) {
      if (names.some(compileGlob(glob))) continue;
      const path = printPointer(['waves', at, ...(isPlain ? [] : ['environments']), nth]);
      problems.push(
        makeProblem({
          code: 'invalid-value',
          message: `no environment matches ${describe(glob)}`,
          at: placeOf(path),
          path,
          hint: `use names of environments, or globs for them: ${list(names)}`,
        }),
      );
    }
    const { wait = '0s', check: checks = [] } = isPlain ? {} : one;
    const waitMs = parseDuration(wait);
    if (waitMs === undefined) {
      const path = printPointer(['waves', at, 'wait']);
      const message = `expected wait to be a duration of at most 100 years; found ${describe(wait)}`;
      problems.push(makeProblem({ code: 'invalid-value', message, at: placeOf(path), path }));
    }
    return { environments, waitMs: waitMs ?? 0, checks };
  });
  return { value, problems };
}
