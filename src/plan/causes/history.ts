import { sameWithDefaults } from '../../model/defaults.ts';
import {
  sameJson,
  type Pointer,
  canonicalText,
  isList,
  isObject,
  parsePointer,
  valueOf,
  type Json,
} from '../../model/json/json.ts';
import { knownKind, type KindSet, type Kind } from '../../model/kind.ts';
import { comparable, normalForm, withWithheld } from '../../model/normal/normal-form.ts';
import type { Address, Resource } from '../../model/resource.ts';
import type { DesiredState, LiveState } from '../../model/state.ts';
import type { FieldDifference } from '../../model/field-difference.ts';
import { diffFields, IDENTIFYING } from '../diff/diff.ts';

/** A field of an object; without a place, whether there is the object at all. */
export type Spot = {
  readonly address: Address;
  readonly place?: FieldPlace;
  /** Of a field, as the base has it. */
  readonly path?: Pointer;
};

/** Why a history ends: it is complete, commits are missing in the clone, or enough was looked at. */
export type HistoryEnd = 'complete' | 'missing' | 'limit';

/** What a history says of a spot that is not as the base has it: `unclear` if it goes too little way back. */
export type Finding = 'pending' | 'drift' | 'unclear';

type History = {
  /** Adds the files as they were before, one version after the other. False when no older one can matter. */
  readonly add: (older: DesiredState) => boolean;
  readonly find: (spot: Spot, end: HistoryEnd) => Finding;
};

/** A value that a version brought may be an old one that was brought back: so many versions before it are looked at. */
const LOOK_BACK = 5;

/**
 * Tells what waits to be applied from what was changed on the gateway. The newest version of which something is live is taken
 * for the one that was applied last. A spot waits if the gateway has it as an older version did that is not older than the one
 * before that.
 */
export function startHistory(base: DesiredState, live: LiveState, kinds: KindSet): History {
  const versions: DesiredState[] = [base];
  /** What is live of each version and was not in the one before. */
  const brought: Spot[][] = [];
  const isLiveAs = (version: DesiredState, { address, place }: Spot): boolean => {
    const [is, wanted] = [live.resources.get(address), version.get(address)?.resource];
    if (is === undefined || wanted === undefined || place === undefined)
      return (is === undefined) === (wanted === undefined);
    const places = differingPlaces(is, wanted, knownKind(address, kinds));
    return !places.some((one) => overlaps(one, place));
  };
  const applied = (): number | undefined => {
    const at = brought.findIndex((spots) => spots.length > 0);
    return at < 0 ? undefined : at;
  };
  return {
    add: (older) => {
      const newer = versions.at(-1) ?? base;
      for (const [at, spots] of brought.entries())
        brought[at] = spots.filter((spot) => !isLiveAs(older, spot));
      brought.push(changesBetween(older, newer, kinds).filter((spot) => isLiveAs(newer, spot)));
      versions.push(older);
      const at = applied();
      return at === undefined || versions.length - (at + 2) < LOOK_BACK;
    },
    find: (spot, end) => {
      const at = applied();
      const older = versions.slice(1, at === undefined ? undefined : at + 2);
      if (older.some((version) => isLiveAs(version, spot))) return 'pending';
      return at !== undefined || end === 'complete' ? 'drift' : 'unclear';
    },
  };
}

/** What a version added or changed. What it no longer has says nothing: the gateway may never have had it. */
function changesBetween(older: DesiredState, newer: DesiredState, kinds: KindSet): readonly Spot[] {
  return [...newer].flatMap(([address, { resource: after }]): readonly Spot[] => {
    const before = older.get(address)?.resource;
    if (before === undefined) return [{ address }];
    if (isSame(before, after)) return [];
    return differingPlaces(before, after, knownKind(address, kinds)).map((place) => ({ address, place }));
  });
}

function isSame(one: Resource, other: Resource): boolean {
  return one === other || sameJson(one, other);
}

/** Where a field is, in any version of its object: an item of a list is named by what identifies it, not by its index. */
type FieldPlace = readonly string[];

/** The places where two versions of an object differ; secrets that the gateway withholds do not count. */
export function differingPlaces(before: Resource, after: Resource, kind: Kind): readonly FieldPlace[] {
  if (sameWithDefaults(before, after, kind.defaultTree)) return [];
  const { value: seen } = withWithheld(kind, before, after);
  if (sameJson(normalForm(kind, seen), normalForm(kind, after))) return [];
  const [was, is] = [comparable(kind, seen), comparable(kind, after)];
  return diffFields(was, is, kind.sets(after)).map((field) => placeOfField(field, was, is));
}

/** The place of a field that differs between two values. */
export function placeOfField(field: FieldDifference, before: Json, after: Json): FieldPlace {
  let value: Json | undefined = field.op === 'remove' ? before : after;
  return parsePointer(field.path).map((token) => {
    const child: Json | undefined = valueOf(value, token);
    const name = isList(value) ? nameOfItem(child, token) : token;
    value = child;
    return name;
  });
}

/** Whether one place is the other, or lies in it. */
export function overlaps(one: FieldPlace, other: FieldPlace): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return short.every((token, at) => token === long[at]);
}

function nameOfItem(item: Json | undefined, index: string): string {
  if (item === undefined) return `#${index}`;
  if (!isObject(item)) return isList(item) ? `#${index}` : `=${canonicalText(item)}`;
  const key = IDENTIFYING.find((name) => typeof valueOf(item, name) === 'string');
  return key === undefined ? `#${index}` : `${key}=${canonicalText(valueOf(item, key) ?? null)}`;
}
