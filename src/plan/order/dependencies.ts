import { addTo } from '../../model/collect.ts';
import { addressOf, type Kind, type KindSet } from '../../model/kind.ts';
import { axisOf, kindOf, parseAddress, type Address } from '../../model/resource.ts';
import { afterOf, beforeOf, type ChangeId, type DraftChange, idOf } from '../change/change.ts';
import { referencesOf } from '../../model/normal/normal-form.ts';
import { sharedValueOf, uniqueValuesOf, type UniqueValue } from '../../model/normal/constrained-values.ts';

/** A change that must come after another, and why. */
export type Dependency = { readonly change: ChangeId; readonly on: ChangeId; readonly why: Cause };
export type Cause =
  /** An object that it refers to is not there yet. */
  | { readonly type: 'required' }
  /** What it refers to or needs not be without changes as well: better first, and given up where that would close a cycle. */
  | { readonly type: 'preferred' }
  /** The other one refers to it, and it goes. */
  | { readonly type: 'referenced'; readonly address: Address }
  /** The other one has a value that it takes. */
  | { readonly type: 'takes'; readonly value: UniqueValue }
  /** The other one gives up the value that all of them share at every moment, and it has a new one. */
  | { readonly type: 'shares'; readonly noun: string }
  /** One of them is an extra step of the other. */
  | { readonly type: 'step' }
  /** The other way round, principals would lack a sort of protection that they have before and after the plan. */
  | { readonly type: 'keeps'; readonly protection: string };

/** What each change of a plan depends on, before any of them has an extra step. */
export function findDependencies(changes: readonly DraftChange[], kinds: KindSet): readonly Dependency[] {
  const byAddress = new Map(changes.map((change) => [change.address, change]));
  const found: Dependency[] = [];
  const add = (one: DraftChange, other: DraftChange, why: Cause): void => {
    if (one !== other) found.push({ change: idOf(one), on: idOf(other), why });
  };
  const { freed, taken } = valuesThatMove(changes, kinds);
  let given: ReturnType<typeof sharedValuesGivenUp> | undefined;
  for (const change of changes) {
    const kind = kinds.get(kindOf(change.address));
    if (kind === undefined) continue;
    const [before, after] = [beforeOf(change), afterOf(change)];
    const needed = new Set(after === undefined ? [] : referencesOf(after, kind).map(({ to }) => to));
    for (const to of needed) {
      const target = byAddress.get(to);
      if (target === undefined || target.action === 'delete') continue;
      add(change, target, { type: target.action === 'update' ? 'preferred' : 'required' });
    }
    const had = new Set(before === undefined ? [] : referencesOf(before, kind).map(({ to }) => to));
    for (const to of had) {
      const target = byAddress.get(to);
      const goes = target?.action === 'delete' || target?.action === 'replace';
      if (goes && !needed.has(to)) add(target, change, { type: 'referenced', address: to });
    }
    const target = byAddress.get(targetOf(change.address, kind) ?? change.address);
    // A client has what is meant for it from its first moment to its last.
    if (target?.action === 'create' && after !== undefined) add(target, change, { type: 'preferred' });
    if (target?.action === 'delete' && after === undefined) add(change, target, { type: 'preferred' });
    for (const value of taken.get(change) ?? []) {
      const holder = freed.get(value.key);
      if (holder !== undefined) add(change, holder, { type: 'takes', value });
    }
    if (after === undefined || kind.agree === undefined) continue;
    given ??= sharedValuesGivenUp(changes, kinds);
    const shared = given.size === 0 ? undefined : sharedValueOf(kind, after);
    for (const { value, by } of (shared && given.get(shared.within)) ?? []) {
      if (shared === undefined || value === shared.value) continue;
      // Two replaces would wait for each other; checkAgreement reports that better than a cycle would.
      const isOpen = change.action === 'create' || by.action === 'delete';
      if (isOpen) add(change, by, { type: 'shares', noun: shared.noun });
    }
  }
  return found;
}

/** The object that one of the kind is for alone. */
function targetOf(address: Address, { meantFor }: Kind): Address | undefined {
  const name = meantFor && axisOf(address, meantFor.name);
  if (meantFor === undefined || name === undefined) return undefined;
  const scope = parseAddress(address)?.scope;
  return addressOf(
    meantFor.kind,
    name,
    Object.fromEntries(meantFor.axes.map((axis) => [axis, scope?.[axis] ?? null])),
  );
}

/** Values that only one may have: those that a change gives up, with that change, and those that a change takes. */
function valuesThatMove(
  changes: readonly DraftChange[],
  kinds: KindSet,
): {
  readonly freed: ReadonlyMap<string, DraftChange>;
  readonly taken: ReadonlyMap<DraftChange, readonly UniqueValue[]>;
} {
  const freed = new Map<string, DraftChange>();
  const taken = new Map<DraftChange, UniqueValue[]>();
  for (const change of changes) {
    const kind = kinds.get(kindOf(change.address));
    if (kind === undefined || kind.unique.length === 0) continue;
    const had = uniqueValuesOf(kind, beforeOf(change));
    const has = uniqueValuesOf(kind, afterOf(change));
    const [old, kept] = [new Set(had.map(({ key }) => key)), new Set(has.map(({ key }) => key))];
    for (const { key } of had) if (!kept.has(key)) freed.set(key, change);
    for (const value of has) if (!old.has(value.key)) addTo(taken, change, value);
  }
  return { freed, taken };
}

/** What deletes and replaces give up of the values that all resources with one value of another field share, by the latter. */
function sharedValuesGivenUp(
  changes: readonly DraftChange[],
  kinds: KindSet,
): ReadonlyMap<string, readonly { readonly value: string; readonly by: DraftChange }[]> {
  const given = new Map<string, { readonly value: string; readonly by: DraftChange }[]>();
  for (const change of changes) {
    if (change.action !== 'delete' && change.action !== 'replace') continue;
    const kind = kinds.get(kindOf(change.address));
    const before = kind && sharedValueOf(kind, change.before);
    if (before !== undefined) addTo(given, before.within, { value: before.value, by: change });
  }
  return given;
}
