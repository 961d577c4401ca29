import { kindOf, parseAddress, type Address } from '../../model/resource.ts';
import type { ChangeRecord } from '../view/change-record.ts';
import type { Section, Total } from './page.ts';

/** The virtual cluster of an object; undefined if it is in none. */
export function virtualClusterOf(address: string): string | undefined {
  // Most addresses of a large plan differ in their names only.
  return address.includes('vCluster=') ? (parseAddress(address)?.scope['vCluster'] ?? undefined) : undefined;
}

/** Equal updates of this many objects are shown once. */
const FEWEST_FOLDED = 3;

export type Group = readonly [ChangeRecord, ...ChangeRecord[]];

/** Changes, with those that have the same edits of the same kind and virtual cluster in one group. */
export function groupEqual(changes: readonly ChangeRecord[]): readonly Group[] {
  const byEdits = new Map<string, [ChangeRecord, ...ChangeRecord[]]>();
  const groups: [ChangeRecord, ...ChangeRecord[]][] = [];
  for (const change of changes) {
    const group = change.action === 'update' ? byEdits.get(editsOf(change)) : undefined;
    if (group !== undefined) {
      group.push(change);
      continue;
    }
    const made: [ChangeRecord, ...ChangeRecord[]] = [change];
    if (change.action === 'update') byEdits.set(editsOf(change), made);
    groups.push(made);
  }
  return groups.flatMap((group): readonly Group[] =>
    group.length < FEWEST_FOLDED ? group.map((one) => [one]) : [group],
  );
}

function editsOf({ kind, address, fields, secrets, reason, step }: ChangeRecord): string {
  return JSON.stringify([kind, virtualClusterOf(address), fields, secrets, reason, step]);
}

/** The objects of sections, counted by kind and virtual cluster. */
export function totalsOf(sections: readonly Section[]): readonly Total[] {
  const totals = new Map<
    string,
    { kind: string; virtualCluster: string | undefined; counts: Record<string, number> }
  >();
  for (const { title, entries } of sections)
    for (const { names } of entries)
      for (const name of names) {
        const kind = kindOf(name as Address); // names are addresses
        const virtualCluster = virtualClusterOf(name);
        const key = `${kind} ${virtualCluster ?? ''}`;
        const total = totals.get(key) ?? { kind, virtualCluster, counts: {} };
        total.counts[title] = (total.counts[title] ?? 0) + 1;
        totals.set(key, total);
      }
  return [...totals].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, total]) => total);
}
