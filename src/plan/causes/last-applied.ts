import type { Address } from '../../model/resource.ts';
import { isWithin, type FieldPlace } from './places.ts';

/** Where an object is not live as a version has it: `missing` on the gateway, or there as an `extra` that the version lacks. */
export type Unlike = readonly FieldPlace[] | 'missing' | 'extra';

/** Of each object that some version changed: how it is unlike each of them, newest first. */
export type Unlikes = ReadonlyMap<Address, readonly Unlike[]>;

/**
 * The versions that may be the last one applied. Each is an explanation of what is live: this version, perhaps in part, over the
 * one before, and the rest by hand. One explanation beats another if it is worse for fewer objects than the other is. So a single
 * object that is live as a version has it proves nothing: somebody may have set it by hand, and put it in the files later.
 */
export function findLastApplied(unlikes: Unlikes, count: number): readonly number[] {
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
export function countLeft(unlikes: Unlikes, at: number, than?: number): number {
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
