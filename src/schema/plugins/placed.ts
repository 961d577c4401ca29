/** Something that is said of a place in a config: the tokens of a pattern, rooted at the config or a part of it. */
export type Placed<T> = { readonly at: readonly string[]; readonly it: T };

/** The same, rooted one step above. */
export function under<T>(key: string, placed: readonly Placed<T>[] = []): readonly Placed<T>[] {
  return placed.map(({ at, it }) => ({ at: [key, ...at], it }));
}
