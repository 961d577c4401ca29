import { sameJson, type Pointer } from '../../model/json/json.ts';
import { knownKind, type KindSet } from '../../model/kind.ts';
import type { Address, Resource } from '../../model/resource.ts';
import type { DesiredState, LiveState } from '../../model/state.ts';
import { differingPlaces, overlaps, type FieldPlace, isWithin } from './places.ts';

/** A field of an object; without a place, whether there is the object at all. */
export type FieldOrObject = {
  readonly address: Address;
  readonly place?: FieldPlace;
  /** Of a field, as the base has it. */
  readonly path?: Pointer;
  /** The gateway has the object without the field. */
  readonly isUnset?: boolean;
};

/** Why a history ends: it is complete, commits are missing in the clone, or enough was looked at. */
export type HistoryEnd = 'complete' | 'missing' | 'limit';

/** What a history says of a field or an object that is not as the base has it: `unclear` if it goes too little way back. */
export type Finding = 'pending' | 'drift' | 'unclear';

type History = {
  /** Adds the files as they were before, one version after the other. False when no older one can matter. */
  readonly add: (older: DesiredState) => boolean;
  readonly find: (fieldOrObject: FieldOrObject, end: HistoryEnd) => Finding;
};

/** Objects that no version explains may hide which one is applied: so many more are to speak for it. */
const ENOUGH = 5;

/**
 * Tells what waits to be applied from what was changed on the gateway, by which versions may be the last one applied. A field or
 * an object waits if the gateway has it as the version before that one did, or as a newer one does. Where these versions do not agree,
 * it is unclear.
 */
export function startHistory(base: DesiredState, live: LiveState, kinds: KindSet): History {
  const versions: DesiredState[] = [base];
  const unlikes = new Map<Address, Unlike[]>();
  let guesses: readonly number[] | undefined;
  const compare = (version: DesiredState, address: Address): Unlike => {
    const [is, wanted] = [live.resources.get(address), version.get(address)?.resource];
    if (wanted === undefined) return is === undefined ? [] : 'extra';
    return is === undefined ? 'missing' : differingPlaces(is, wanted, knownKind(address, kinds));
  };
  const isLiveAs = (at: number, { address, place }: FieldOrObject): boolean => {
    if (place === undefined) return live.resources.has(address) === versions[at]?.has(address);
    const unlike = unlikes.get(address)?.[at] ?? 'missing'; // an object that is the same in all versions
    return typeof unlike !== 'string' && !unlike.some((one) => overlaps(one, place));
  };
  return {
    add: (older) => {
      const newer = versions.at(-1) ?? base;
      const changed = new Set(changedBetween(older, newer));
      if (changed.size === 0) return true;
      for (const address of changed)
        if (!unlikes.has(address))
          unlikes.set(address, new Array<Unlike>(versions.length).fill(compare(newer, address)));
      for (const [address, all] of unlikes)
        all.push(changed.has(address) ? compare(older, address) : (all.at(-1) ?? []));
      const oldest = versions.push(older) - 1;
      guesses = undefined;
      const lefts = versions.map((_, at) => countLeft(unlikes, at));
      const least = lefts.reduce((one, other) => (other < one ? other : one));
      return countLeft(unlikes, oldest, lefts.indexOf(least)) < least + ENOUGH;
    },
    find: (fieldOrObject, end) => {
      guesses ??= findLastApplied(unlikes, versions.length);
      const oldest = versions.length - 1;
      const isPending = (at = oldest): boolean =>
        versions.some((_, one) => one > 0 && one <= at + 1 && isLiveAs(one, fieldOrObject));
      if (isPending(guesses[0])) return 'pending';
      const isClear = (at: number): boolean => countLeft(unlikes, oldest, at) > countLeft(unlikes, at);
      const isKnown = end === 'complete' || guesses.every(isClear);
      const last = guesses.at(-1) ?? 0;
      // Nothing tells what stayed on the gateway when it left the files from what came back.
      const mayHaveStayed =
        live.resources.has(fieldOrObject.address) && fieldOrObject.place === undefined && isPending();
      // An object that was made by hand before files declared it need not have lost what it does not have.
      const mayBeOlder =
        fieldOrObject.isUnset === true &&
        versions.some((one, at) => at <= last + 1 && !one.has(fieldOrObject.address));
      return isPending(last) || mayHaveStayed || mayBeOlder || !isKnown ? 'unclear' : 'drift';
    },
  };
}

/** The objects that a version added, changed or took away. */
function changedBetween(older: DesiredState, newer: DesiredState): readonly Address[] {
  return [...new Set([...newer.keys(), ...older.keys()])].filter(
    (address) => !isSame(older.get(address)?.resource, newer.get(address)?.resource),
  );
}

function isSame(one: Resource | undefined, other: Resource | undefined): boolean {
  return one === other || (one !== undefined && other !== undefined && sameJson(one, other));
}

/** Where an object is not live as a version has it: `missing` on the gateway, or there as an `extra` that the version lacks. */
type Unlike = readonly FieldPlace[] | 'missing' | 'extra';

/** Of each object that some version changed: how it is unlike each of them, newest first. */
type Unlikes = ReadonlyMap<Address, readonly Unlike[]>;

/**
 * The versions that may be the last one applied. Each is an explanation of what is live: this version, perhaps in part, over the
 * one before, and the rest by hand. One explanation beats another if it is worse for fewer objects than the other is. So a single
 * object that is live as a version has it proves nothing: somebody may have set it by hand, and put it in the files later.
 */
function findLastApplied(unlikes: Unlikes, count: number): readonly number[] {
  const worse = Array.from({ length: count }, () => new Array<number>(count).fill(0));
  for (const of of unlikes.values()) {
    const groups = groupVersions(of, count);
    for (const one of groups)
      for (const other of groups) {
        if (one === other || !isWorse(one.left, other.left)) continue;
        for (const at of one.versions)
          for (const than of other.versions) {
            const row = worse[at];
            if (row !== undefined) row[than] = (row[than] ?? 0) + 1;
          }
      }
  }
  const all = worse.map((_, at) => at);
  const isBeaten = (at: number): boolean => all.some((by) => (worse[at]?.[by] ?? 0) > (worse[by]?.[at] ?? 0));
  const unbeaten = all.filter((at) => !isBeaten(at));
  return unbeaten.length === 0 ? all : unbeaten;
}

/** How many objects one version leaves to be explained by hand; of these, how many another one explains. */
function countLeft(unlikes: Unlikes, at: number, than?: number): number {
  let left = 0;
  for (const of of unlikes.values())
    if (isLeft(of, at) && (than === undefined || !isLeft(of, than))) left += 1;
  return left;
}

function isLeft(of: readonly Unlike[], at: number): boolean {
  return !isExplained(of, at) && (at + 1 >= of.length || !isExplained(of, at + 1));
}

/** An extra object is no surprise if an older version had it: an object that files no longer have stays on the gateway. */
function isExplained(of: readonly Unlike[], at: number): boolean {
  const unlike = of[at];
  if (unlike === 'extra') return of.findLastIndex((one) => one !== 'extra') > at;
  return unlike !== 'missing' && unlike?.length === 0;
}

type Versions = { readonly left: readonly Unlike[]; readonly versions: number[] };

/** Versions that leave the same of an object to be explained; neighbours for which nothing changes are one. */
function groupVersions(of: readonly Unlike[], count: number): readonly Versions[] {
  const groups: Versions[] = [];
  for (let at = 0; at < count; at += 1) {
    const isAsBefore = at > 0 && of[at] === of[at - 1] && of[at + 1] === of[at];
    const last = groups.at(-1);
    if (isAsBefore && last !== undefined) last.versions.push(at);
    else groups.push({ left: isLeft(of, at) ? of.slice(at, at + 2) : [], versions: [at] });
  }
  return groups;
}

/** Whether one leaves more of an object to be explained than the other; either may have had one of two versions. */
function isWorse(one: readonly Unlike[], other: readonly Unlike[]): boolean {
  if (one.length === 0) return false;
  return other.length === 0 || other.some((theirs) => one.every((ours) => isLess(theirs, ours)));
}

function isLess(one: Unlike, other: Unlike): boolean {
  if (typeof one === 'string' || typeof other === 'string') return false;
  return isPartOf(one, other) && !isPartOf(other, one);
}

function isPartOf(one: readonly FieldPlace[], other: readonly FieldPlace[]): boolean {
  return one.every((place) => other.some((around) => isWithin(place, around)));
}
