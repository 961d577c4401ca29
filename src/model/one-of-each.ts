/** One of each sort before the next one of any: only the first ones may be shown, and there can be any number of one sort. */
export function oneOfEachFirst<T>(items: readonly T[], sortOf: (item: T) => string): readonly T[] {
  const turns = new Map<string, number>();
  const numbered = items.map((item) => {
    const sort = sortOf(item);
    const turn = turns.get(sort) ?? 0;
    turns.set(sort, turn + 1);
    return { item, turn };
  });
  return numbered.sort((one, other) => one.turn - other.turn).map(({ item }) => item);
}
