import { addTo } from '../../model/collect.ts';
import type { KindSet } from '../../model/kind.ts';
import { kindOf, type Address } from '../../model/resource.ts';
import { idOf, type ChangeId } from '../change/plan.ts';
import { referencesOf } from '../../model/normal/references-of.ts';
import {
  afterOf,
  beforeOf,
  uniqueValuesOf,
  type UniqueValue,
  type Unordered,
} from '../change/draft-change.ts';

/** One change waits for another, and why. */
export type Wait = { readonly change: ChangeId; readonly on: ChangeId; readonly why: Why };
export type Why =
  /** What it refers to is not there yet. */
  | { readonly type: 'needs' }
  /** What it refers to changes as well: better first, and given up where that would close a ring. */
  | { readonly type: 'prefers' }
  /** The other one refers to it, and it goes. */
  | { readonly type: 'is-held'; readonly address: Address }
  /** The other one has a value that it takes. */
  | { readonly type: 'takes'; readonly value: UniqueValue };

/** What each change waits for, among the changes of one plan, before any of them has an extra step. */
export function waitsOf(changes: readonly Unordered[], kinds: KindSet): readonly Wait[] {
  const byAddress = new Map(changes.map((change) => [change.address, change]));
  const waits: Wait[] = [];
  const wait = (one: Unordered, other: Unordered, why: Why): void => {
    if (one !== other) waits.push({ change: idOf(one), on: idOf(other), why });
  };
  const { freed, taken } = valuesThatMove(changes, kinds);
  for (const change of changes) {
    const kind = kinds.get(kindOf(change.address));
    if (kind === undefined) continue;
    const [before, after] = [beforeOf(change), afterOf(change)];
    const needed = new Set(after === undefined ? [] : referencesOf(after, kind).map(({ to }) => to));
    for (const to of needed) {
      const target = byAddress.get(to);
      if (target === undefined || target.action === 'delete') continue;
      wait(change, target, { type: target.action === 'update' ? 'prefers' : 'needs' });
    }
    const had = new Set(before === undefined ? [] : referencesOf(before, kind).map(({ to }) => to));
    for (const to of had) {
      const target = byAddress.get(to);
      const goes = target?.action === 'delete' || target?.action === 'replace';
      if (goes && !needed.has(to)) wait(target, change, { type: 'is-held', address: to });
    }
    for (const value of taken.get(change) ?? []) {
      const holder = freed.get(value.key);
      if (holder !== undefined) wait(change, holder, { type: 'takes', value });
    }
  }
  return waits;
}

/** Values that only one may have: those that a change gives up, with that change, and those that a change takes. */
function valuesThatMove(
  changes: readonly Unordered[],
  kinds: KindSet,
): {
  readonly freed: ReadonlyMap<string, Unordered>;
  readonly taken: ReadonlyMap<Unordered, readonly UniqueValue[]>;
} {
  const freed = new Map<string, Unordered>();
  const taken = new Map<Unordered, UniqueValue[]>();
  for (const change of changes) {
    const kind = kinds.get(kindOf(change.address));
    if (kind === undefined || kind.unique.length === 0) continue;
    const [before, after] = [beforeOf(change), afterOf(change)];
    const had = before === undefined ? [] : uniqueValuesOf(before, kind);
    const has = after === undefined ? [] : uniqueValuesOf(after, kind);
    const [old, kept] = [new Set(had.map(({ key }) => key)), new Set(has.map(({ key }) => key))];
    for (const { key } of had) if (!kept.has(key)) freed.set(key, change);
    for (const value of has) if (!old.has(value.key)) addTo(taken, change, value);
  }
  return { freed, taken };
}
