/** The items under each key, in their order. */
export function groupBy<T, K>(items: Iterable<T>, keyOf: (item: T) => K): Map<K, [T, ...T[]]> {
  const groups = new Map<K, [T, ...T[]]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

type Kept<K, V> = { get(key: K): V | undefined; set(key: K, value: V): unknown };

/** What a map has under a key; made and kept there if it has nothing. */
export function getOrAdd<K, V>(map: Kept<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}

/** Adds to the list of a key, in place, because copies of long lists are quadratic. */
export function addTo<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

/** Adds many items: `push(...items)` fails from about 100,000 on, because they are arguments of a call. */
export function addAll<T>(list: T[], items: Iterable<T>): void {
  for (const item of items) list.push(item);
}

/** The fields that have a value, in their order: what may be absent may not be undefined. */
export function present<T extends object>(fields: T): { [key in keyof T]?: Exclude<T[key], undefined> } {
  const found: { [key in keyof T]?: Exclude<T[key], undefined> } = {};
  for (const key in fields) {
    const value = fields[key];
    if (value !== undefined) found[key] = value as Exclude<T[typeof key], undefined>; // just seen
  }
  return found;
}

/** Sorts entries by their keys. */
export function byKey([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}

/** The largest of any number of numbers; 0 if there are none. */
export function largestOf(numbers: Iterable<number>): number {
  let largest = 0;
  for (const one of numbers) if (one > largest) largest = one;
  return largest;
}

/** The index of the first of those in order that are so, and all behind it; the length if none is. */
export function firstIndex<T>(list: readonly T[], isSo: (one: T) => boolean): number {
  let [from, to] = [0, list.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (isSo(list[middle] as T)) to = middle; // below the length
    else from = middle + 1;
  }
  return from;
}

/** A value that is made when it is first asked for. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** The same keys with other values. */
export function mapValues<T, U>(
  values: Readonly<Record<string, T>>,
  change: (value: T, key: string) => U,
): Record<string, U> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value, key)]));
}

/** `make` with its results remembered for as long as their keys live. */
export function memoize<K extends object, V extends object>(make: (key: K) => V): (key: K) => V {
  const known = new WeakMap<K, V>();
  return (key) => getOrAdd(known, key, () => make(key));
}
