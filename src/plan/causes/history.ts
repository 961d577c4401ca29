import { sameJson, type Pointer } from '../../model/json/json.ts';
import { knownKind, type KindSet } from '../../model/kind.ts';
import type { Address, Resource } from '../../model/resource.ts';
import type { DesiredState, LiveState } from '../../model/state.ts';
import { countLeft, findLastApplied, type Unlike } from './last-applied.ts';
import { differingPlaces, overlaps, type FieldPlace } from './places.ts';

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
