import { addTo } from '../../model/collect.ts';
import type { Span } from '../yaml/text-lines.ts';

/** Parts of a text that change places; the gaps between them stay. */
export type Move = Span & {
  readonly parts: readonly Part[];
  /** The text before the first, second, … part. */
  readonly gaps: readonly string[];
  /** The indexes of the parts in the new order. */
  readonly order: readonly number[];
};
export type Part = Span & { readonly moves: readonly Move[] };

/** A range of the text with its moves, which are in the order of the text. */
export function rearrange(text: string, { from, to }: Span, moves: readonly Move[]): string {
  let done = '';
  let at = from;
  for (const move of moves) {
    done += text.slice(at, move.from);
    for (const [position, index] of move.order.entries()) {
      const part = move.parts[index];
      if (part !== undefined) done += `${move.gaps[position] ?? ''}${rearrange(text, part, part.moves)}`;
    }
    at = move.to;
  }
  return done + text.slice(at, to);
}

/** One move if the parts change places, or else the moves in each part. */
export function moveParts(
  parts: readonly Part[],
  gaps: readonly string[],
  from: number,
  order: readonly number[],
): readonly Move[] {
  if (order.every((index, position) => index === position)) return parts.flatMap(({ moves }) => moves);
  return [{ from, to: parts.at(-1)?.to ?? from, parts, gaps, order }];
}

/** A stable order in which no item comes before one that it needs, as indexes of the items. */
export function orderBy<T>(
  items: readonly T[],
  compare: (one: T, other: T) => number,
  needs: (item: T) => readonly T[] = () => [],
): readonly number[] {
  const sorted = items.map((item, index) => ({ item, index }));
  sorted.sort((one, other) => compare(one.item, other.item) || one.index - other.index);
  const users = new Map<T, number[]>();
  const missing = sorted.map(({ item }, place) => {
    const needed = new Set(needs(item));
    for (const one of needed) addTo(users, one, place);
    return needed.size;
  });
  const free = new SmallestFirst();
  for (const [place, count] of missing.entries()) if (count === 0) free.add(place);
  const order = new Set<number>();
  // Items that need each other are placed as they are sorted.
  for (const first of sorted.keys()) {
    while (!order.has(first)) {
      const place = free.take() ?? first;
      const next = sorted[place];
      if (next === undefined || order.has(place)) continue;
      order.add(place);
      for (const user of users.get(next.item) ?? []) {
        const count = (missing[user] ?? 0) - 1;
        missing[user] = count;
        if (count === 0) free.add(user);
      }
    }
  }
  return [...order].map((place) => sorted[place]?.index ?? place);
}

/** Numbers, taken from the smallest on: a binary heap. */
class SmallestFirst {
  readonly #heap: number[] = [];

  add(number: number): void {
    let at = this.#heap.push(number) - 1;
    for (let above = (at - 1) >> 1; at > 0 && this.#at(above) > number; above = (at - 1) >> 1) {
      this.#heap[at] = this.#at(above);
      at = above;
    }
    this.#heap[at] = number;
  }

  take(): number | undefined {
    const [smallest] = this.#heap;
    const last = this.#heap.pop();
    if (last === undefined || this.#heap.length === 0) return smallest;
    let at = 0;
    for (;;) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      const below = this.#at(right) < this.#at(left) ? right : left;
      if (!(this.#at(below) < last)) break;
      this.#heap[at] = this.#at(below);
      at = below;
    }
    this.#heap[at] = last;
    return smallest;
  }

  #at(place: number): number {
    return this.#heap[place] ?? Infinity;
  }
}
