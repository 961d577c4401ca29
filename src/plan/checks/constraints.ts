import { addTo, getOrAdd } from '../../model/collect.ts';
import { canonicalText, valueAt, type Pointer } from '../../model/json/json.ts';
import { withDefaults, referencesOf } from '../../model/normal/normal-form.ts';
import { kindOf, type Address, type Resource } from '../../model/resource.ts';
import {
  sharedValueOf,
  uniqueKeysOf,
  uniqueValuesOf,
  type SharedValue,
  type UniqueValue,
} from '../../model/normal/constrained-values.ts';
import { afterOf, beforeOf, type DraftChange } from '../change/change.ts';
import type { PlannedChanges } from './world.ts';

/** Who refers to what when the plan is done, among what the plan deletes or replaces. */
export function findReferrers(
  { live, kinds, changes }: PlannedChanges,
  of: (change: DraftChange) => boolean,
): ReadonlyMap<Address, readonly Address[]> {
  const users = new Map<Address, Address[]>();
  if (![...changes.values()].some(of)) return users;
  const note = (address: Address, resource: Resource | undefined): void => {
    const kind = kinds.get(kindOf(address));
    if (kind === undefined || resource === undefined) return;
    for (const { to } of referencesOf(resource, kind)) {
      const target = changes.get(to);
      if (target !== undefined && of(target)) addTo(users, to, address);
    }
  };
  for (const [address, resource] of live.resources) if (!changes.has(address)) note(address, resource);
  for (const change of changes.values()) note(change.address, afterOf(change));
  return users;
}

/** A resource that wants one value where another on the gateway, with which it must agree, has a different one. */
export type Mismatch = {
  readonly address: Address;
  readonly on: Pointer;
  readonly wanted: string;
  readonly other: Address;
  readonly within: string;
};

/**
 * Resources that must have one value among them at every moment: a new one that has another, and one that would be
 * replaced to take another while its fellows have the old. A new one may wait for a replace that takes its value.
 */
export function findMismatches({ live, kinds, changes }: PlannedChanges): readonly Mismatch[] {
  const taking = [...changes.values()].filter(({ action }) => action === 'create' || action === 'replace');
  return [...kinds.values()].flatMap((kind): readonly Mismatch[] => {
    const { agree } = kind;
    const mine = taking.filter(({ address }) => kindOf(address) === kind.name);
    if (agree === undefined || mine.length === 0) return [];
    const now = new Map<string, Map<string, Address[]>>();
    const later = new Map<string, Map<string, Address[]>>();
    for (const [address, resource] of live.resources) {
      const change = changes.get(address);
      if (kindOf(address) !== kind.name || change?.action === 'delete') continue;
      note(now, address, sharedValueOf(kind, resource));
      const made = change?.action === 'replace' ? change.after : resource;
      note(later, address, sharedValueOf(kind, made));
    }
    if (now.size === 0) return [];
    return mine.flatMap((change): readonly Mismatch[] => {
      const { address } = change;
      const after = afterOf(change);
      const shared = after && sharedValueOf(kind, after);
      if (after === undefined || shared === undefined) return [];
      const others = (change.action === 'create' ? later : now).get(shared.within) ?? [];
      const other = [...others]
        .filter(([value]) => value !== shared.value)
        .flatMap(([, addresses]) => addresses.slice(0, 2))
        .find((fellow) => fellow !== address);
      if (other === undefined) return [];
      const within = canonicalText(valueAt(withDefaults(kind, after), agree.within) ?? null);
      return [{ address, on: agree.on, wanted: shared.value, other, within }];
    });
  });
}

function note(
  found: Map<string, Map<string, Address[]>>,
  address: Address,
  shared: SharedValue | undefined,
): void {
  if (shared === undefined) return;
  const values = getOrAdd(found, shared.within, () => new Map<string, Address[]>());
  addTo(values, shared.value, address);
}

/** A value that only one may have, which a change takes while another on the gateway keeps it. */
export type TakenValue = { readonly taker: Address; readonly holder: Address; readonly value: UniqueValue };

export function findTakenValues({ live, kinds, changes }: PlannedChanges): readonly TakenValue[] {
  const wanted = new Map<string, Address>();
  for (const change of changes.values()) {
    const kind = kinds.get(kindOf(change.address));
    const after = afterOf(change);
    if (kind === undefined || after === undefined || kind.unique.length === 0) continue;
    const had = uniqueKeysOf(kind, beforeOf(change));
    for (const value of uniqueKeysOf(kind, after)) if (!had.has(value)) wanted.set(value, change.address);
  }
  if (wanted.size === 0) return [];
  return [...live.resources].flatMap(([holder, resource]): readonly TakenValue[] => {
    const kind = kinds.get(kindOf(holder));
    if (kind === undefined || kind.unique.length === 0) return [];
    const change = changes.get(holder);
    const kept = change === undefined ? resource : afterOf(change);
    return uniqueValuesOf(kind, kept).flatMap((value) => {
      const taker = wanted.get(value.key);
      return taker === undefined || taker === holder ? [] : [{ taker, holder, value }];
    });
  });
}
