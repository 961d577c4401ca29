import { parsePointer, placesOf, type Json, type Pointer } from '../../model/json/json.ts';
import type { Context, FieldProblem } from '../../model/kind.ts';
import { atLeast } from '../../model/text/version.ts';
import type { Placed } from './placed.ts';

/** Since when gateways have a field, or one value of it, and since when they advise against it. */
export type Age = {
  /** The one value that it is about; left out where it is the field as a whole. */
  readonly value?: string | boolean;
  readonly since?: string;
  readonly deprecated?: string;
  /** The version that is to take it away, as announced. */
  readonly removed?: string;
  /** What to do instead, an imperative. */
  readonly instead?: string;
};

/** What of a value, which stands at `base`, the gateway does not have yet, or advises against. */
export function checkAges(
  ages: readonly Placed<Age>[],
  value: Json,
  context: Context,
  base: Pointer = '',
): readonly FieldProblem[] {
  return ages.flatMap(({ at, it: age }) =>
    placesOf(value, at, base).flatMap(({ pointer, value: found }) =>
      age.value === undefined || age.value === found ? problemsOf(age, pointer, context) : [],
    ),
  );
}

function problemsOf(age: Age, path: Pointer, { version }: Context): readonly FieldProblem[] {
  const { value, since, deprecated, removed, instead } = age;
  const name = parsePointer(path).at(-1) ?? '';
  const what = value === undefined ? name : `${name}: ${value}`;
  const on = value === undefined ? 'key' : 'value';
  const faults: FieldProblem[] = [];
  if (since !== undefined && version !== undefined && !atLeast(version, since)) {
    faults.push({
      code: 'newer-field',
      severity: 'error',
      path,
      on,
      message: `${what} needs gateway ${since} or later; the environment has ${version}`,
      hint: 'take it out, or upgrade the gateway and its version in gwconf.yaml first',
    });
  }
  if (deprecated !== undefined && (version === undefined || atLeast(version, deprecated))) {
    const end = removed === undefined ? '' : `, and is to go in ${removed}`;
    faults.push({
      code: 'deprecated-value',
      severity: 'warning',
      path,
      on,
      message: `${what} is deprecated since gateway ${deprecated}${end}`,
      hint: instead ?? 'take it out',
    });
  }
  return faults;
}
