import type { AgedField, KindSet } from '../model/kind.ts';

/** A field, a value or a plugin class that some gateway version deprecates. */
export type Deprecation = {
  /** `schemaDataMode: convert_json` */
  readonly name: string;
  /** The first version that deprecates it. */
  readonly since: string;
  /** The version that removes it, if that is announced. */
  readonly removed?: string | undefined;
};

/** All that the kinds and their variants have in deprecated forms. What several variants share is there once. */
export function listDeprecations(kinds: KindSet): readonly Deprecation[] {
  const found = [...kinds.values()].flatMap(({ ages, variants }) => [
    ...ages.flatMap(readAge),
    ...(variants?.known ?? []).flatMap(({ title, deprecated, removed, ages: own }) => [
      ...(typeof deprecated === 'string' ? [{ name: title, since: deprecated, removed }] : []),
      ...own.flatMap(readAge),
    ]),
  ]);
  return [...new Map(found.map((one) => [one.name, one])).values()];
}

function readAge({ at, it: { value, deprecated, removed } }: AgedField): readonly Deprecation[] {
  if (deprecated === undefined) return [];
  const field = at.findLast((token) => token !== '*') ?? '';
  return [{ name: value === undefined ? field : `${field}: ${value}`, since: deprecated, removed }];
}
