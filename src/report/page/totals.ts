import { formatCount } from '../../model/text/list.ts';
import { getOrAdd, once } from '../../model/collect.ts';
import { compareNaturally } from '../../model/text/natural-order.ts';
import { axisOf, kindOf, type Address } from '../../model/resource.ts';
import type { Fact, Section, Total, Totals } from './page.ts';

/** The virtual cluster of an object; undefined if it is in none. */
export function virtualClusterOf(address: string): string | undefined {
  return axisOf(address, 'vCluster');
}

/** The objects of sections, counted by kind and virtual cluster. With `others`, in which nothing changes, also what the first touch. */
export function totalsOf(sections: () => readonly Section[], others?: readonly Section[]): () => Totals {
  return once(() => {
    const counter = new Counter();
    counter.add(sections());
    if (others === undefined) return { rows: counter.list() };
    const touched = touchedFact(counter.list());
    counter.add(others);
    return { rows: counter.list(), touched };
  });
}

const MOST_TOUCHED = 8;

/** The virtual clusters in which something changes, the most changes first. */
function touchedFact(totals: readonly Total[]): Fact | undefined {
  const sums = new Map<string | undefined, number>();
  for (const { virtualCluster, counts } of totals)
    for (const count of Object.values(counts))
      sums.set(virtualCluster, (sums.get(virtualCluster) ?? 0) + count);
  const outside = sums.get(undefined) ?? 0;
  sums.delete(undefined);
  const sorted = [...sums].sort(([, one], [, other]) => other - one);
  const rest = sorted.length - MOST_TOUCHED;
  const parts = [
    ...sorted.slice(0, MOST_TOUCHED).map(([name, count]) => `${name} (${count})`),
    ...(rest > 0 ? [`${rest} more virtual clusters`] : []),
    ...(outside > 0 ? [`${formatCount(outside, 'object')} outside of virtual clusters`] : []),
  ];
  return parts.length === 0 ? undefined : { label: 'Touches', text: parts.join(', '), isCode: false };
}

function* namesIn({ names, entries }: Section): Generator<string> {
  if (names === undefined) for (const entry of entries) yield* entry.names;
  else yield* names;
}

type Counted = Total & { readonly counts: Record<string, number> };

/** Counts objects by kind and virtual cluster. */
class Counter {
  readonly #byKind = new Map<string, Map<string | undefined, Counted>>();

  add(sections: readonly Section[]): void {
    for (const section of sections) for (const name of namesIn(section)) this.#count(section.title, name);
  }

  /** One more object in the section with this title. */
  #count(title: string, name: string): void {
    const kind = kindOf(name as Address); // names are addresses
    const virtualCluster = virtualClusterOf(name);
    const ofKind = getOrAdd(this.#byKind, kind, () => new Map<string | undefined, Counted>());
    const total = getOrAdd(ofKind, virtualCluster, (): Counted => ({ kind, virtualCluster, counts: {} }));
    total.counts[title] = (total.counts[title] ?? 0) + 1;
  }

  list(): readonly Total[] {
    const byName = <T>(
      [one = '']: readonly [string | undefined, T],
      [other = '']: readonly [string | undefined, T],
    ) => compareNaturally(one, other);
    return [...this.#byKind]
      .sort(byName)
      .flatMap(([, ofKind]) => [...ofKind].sort(byName).map(([, total]) => total));
  }
}
