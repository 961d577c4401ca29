import type { Plain } from '../model/shape.ts';
import type { problem } from './shapes/shared.ts';
import type { LocatedProblem } from '../model/problem.ts';
import { list } from '../model/text/list.ts';

/** A problem in a report. `schemas/` publishes this and all other types of this folder. */
export type ProblemRecord = Plain<typeof problem>;

export function describeProblem({ at, frame: _, ...problem }: LocatedProblem): ProblemRecord {
  const { code, severity, message, ...rest } = problem;
  return { code, severity, message, ...at, ...rest };
}

/** One list of the problems of several environments. What not all of them have says which do. */
export function mergeProblems<P extends { readonly message: string }>(
  byEnvironment: ReadonlyMap<string, readonly P[]>,
): readonly P[] {
  const merged = new Map<string, { readonly problem: P; readonly names: string[] }>();
  for (const [name, problems] of byEnvironment) {
    for (const problem of problems) {
      const key = JSON.stringify(problem);
      const known = merged.get(key);
      if (known === undefined) merged.set(key, { problem, names: [name] });
      else if (known.names.at(-1) !== name) known.names.push(name);
    }
  }
  const all = [...byEnvironment.keys()];
  return [...merged.values()].map(({ problem, names }) =>
    names.length === all.length
      ? problem
      : { ...problem, message: `${problem.message} (${inSome(names, all)})` },
  );
}

/** Up to this many names are all told. */
const MOST_NAMES = 5;

/** Some of all environments: by name, or by number and the names of the others where these are fewer. */
export function inSome(names: readonly string[], all: readonly string[]): string {
  if (names.length === all.length) return `in all ${all.length} environments`;
  if (names.length <= MOST_NAMES) return `in ${list(names)}`;
  const others = all.filter((name) => !names.includes(name));
  const count = `in ${names.length} of ${all.length} environments`;
  return others.length <= MOST_NAMES ? `${count}, not in ${list(others)}` : `${count}: ${names.join(', ')}`;
}
