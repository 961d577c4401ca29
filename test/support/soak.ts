/** `npm run soak` does all; `npm test` does the part of it that these functions choose. */
export function isSoak(): boolean {
  return process.env['GWCONF_SOAK'] !== undefined;
}

/** One of each `every`, from the first or another one on; all in a soak. */
export function someOf<T>(all: Iterable<T>, every: number, from = 0): readonly T[] {
  return [...all].filter((_, at) => isSoak() || at % every === from % every);
}

/** So many, or the whole in a soak. */
export function orAll(some: number, whole: number): number {
  return isSoak() ? whole : some;
}
