import { parsePointer, placesOf, type Json, type Pointer } from '../../model/json/json.ts';
import type { Context, FieldProblem } from '../../model/kind.ts';
import { atLeast } from '../../model/text/version.ts';

/** Something about a place in a config: the tokens of a pattern, rooted at the config or a part of it. */
export type AtPattern<T> = { readonly at: readonly string[]; readonly it: T };

/** The versions that have a field, or one value of it. */
export type Age = {
  /** Absent: the field as a whole. */
  readonly value?: string | boolean;
  readonly since?: string;
  readonly deprecated?: string;
  /** The version that removes it, as announced. */
  readonly removed?: string;
  /** The replacement, an imperative. */
  readonly instead?: string;
};

/** Fields and values in `value`, which is at `base`, that are too new for the gateway or deprecated. */
export function checkAges(
  ages: readonly AtPattern<Age>[],
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
      path,
      on,
      message: `${what} needs gateway ${since} or later; the environment has ${version}`,
      hint: 'remove it, or upgrade the gateway and change its version in gwconf.yaml',
    });
  }
  if (deprecated !== undefined && (version === undefined || atLeast(version, deprecated))) {
    const end = removed === undefined ? '' : ` and will be removed in ${removed}`;
    faults.push({
      code: 'deprecated-value',
      path,
      on,
      message: `${what} is deprecated since gateway ${deprecated}${end}`,
      hint: instead ?? 'remove it',
    });
  }
  return faults;
}
