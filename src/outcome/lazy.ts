/** A list whose items may be made each time they are read, so that a long plan is not in memory twice. */
export type LazyList<T> = Iterable<T> & {
  readonly length: number;
  at(index: number): T | undefined;
  /** For `JSON.stringify`. */
  toJSON?(): readonly T[];
};

/** A report with lazy lists of changes; one that was read from JSON fits, too. */
export type Lazy<Report> = {
  readonly [Field in keyof Report]: Field extends 'changes' | 'ledger'
    ? Report[Field] extends readonly (infer Item)[]
      ? LazyList<Item>
      : never
    : Report[Field];
};

export function mapLazily<T, U>(items: LazyList<T>, describe: (item: T) => U): LazyList<U> {
  return {
    length: items.length,
    at: (index) => {
      const item = items.at(index);
      return item === undefined ? undefined : describe(item);
    },
    *[Symbol.iterator]() {
      for (const item of items) yield describe(item);
    },
    toJSON: () => Array.from(items, describe),
  };
}
