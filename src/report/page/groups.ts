import { axisOf, kindOf, type Address } from '../../model/resource.ts';
import type { ChangeRecord } from '../../outcome/change-record.ts';
import type { LazyList } from '../../outcome/lazy.ts';
import type { Entry, Fact, Section, Sign, Total } from './page.ts';

/** The virtual cluster of an object; undefined if it is in none. */
export function virtualClusterOf(address: string): string | undefined {
  return axisOf(address, 'vCluster');
}

/** Equal updates of this many objects are shown once. */
const FEWEST_FOLDED = 3;

/** The places of changes in their list. */
export type Group = readonly [number, ...number[]];

/** Changes, with those that have the same edits of the same kind and virtual cluster in one group. */
export function groupEqual(places: readonly number[], changes: LazyList<ChangeRecord>): readonly Group[] {
  const byEdits = new Map<string, [number, ...number[]]>();
  const groups: [number, ...number[]][] = [];
  for (const place of places) {
    const change = changes.at(place);
    if (change === undefined) continue;
    const edits = editsOf(change);
    const group = byEdits.get(edits);
    if (group !== undefined) {
      group.push(place);
      continue;
    }
    const made: [number, ...number[]] = [place];
    byEdits.set(edits, made);
    groups.push(made);
  }
  return groups.flatMap((group): readonly Group[] =>
    group.length < FEWEST_FOLDED ? group.map((one) => [one]) : [group],
  );
}

function editsOf({ kind, address, fields, secrets, reason, step }: ChangeRecord): string {
  return JSON.stringify([kind, virtualClusterOf(address), fields, secrets, reason, step]);
}

/** A section with entries of one object each; none if there are none. */
export function listSection(title: string, sign: Sign, entries: readonly Entry[]): readonly Section[] {
  return entries.length === 0 ? [] : [{ title, sign, count: entries.length, entries }];
}

/** The objects of sections, counted by kind and virtual cluster. */
export function totalsOf(sections: readonly Section[]): readonly Total[] {
  const totals = new Totals();
  for (const { title, entries } of sections)
    for (const { names } of entries) for (const name of names) totals.count(title, name);
  return totals.list();
}

const MOST_TOUCHED = 8;

/** The virtual clusters in which something changes, the most changes first. */
export function touchedFacts(totals: readonly Total[]): readonly Fact[] {
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
    ...(outside > 0
      ? [`${outside} ${outside === 1 ? 'object' : 'objects'} outside of virtual clusters`]
      : []),
  ];
  return parts.length === 0 ? [] : [{ label: 'Touches', text: parts.join(', '), isCode: false }];
}

type Counted = Total & { readonly counts: Record<string, number> };

/** Counts objects by kind and virtual cluster. */
export class Totals {
  readonly #byKind = new Map<string, Map<string | undefined, Counted>>();

  /** One more object in the section with this title. */
  count(title: string, name: string): void {
    const kind = kindOf(name as Address); // names are addresses
    const virtualCluster = virtualClusterOf(name);
    const ofKind = this.#byKind.get(kind) ?? new Map<string | undefined, Counted>();
    this.#byKind.set(kind, ofKind);
    const total = ofKind.get(virtualCluster) ?? { kind, virtualCluster, counts: {} };
    ofKind.set(virtualCluster, total);
    total.counts[title] = (total.counts[title] ?? 0) + 1;
  }

  list(): readonly Total[] {
    const byName = <T>(
      [one = '']: readonly [string | undefined, T],
      [other = '']: readonly [string | undefined, T],
    ) => (one < other ? -1 : 1);
    return [...this.#byKind]
      .sort(byName)
      .flatMap(([, ofKind]) => [...ofKind].sort(byName).map(([, total]) => total));
  }
}
