import { isObject, joinPointer, sameJson, type Json, type Pointer } from '../model/json/json.ts';
import { isContained } from '../model/regex/contain-regex.ts';
import { hasPlaceholder } from '../model/text/placeholder.ts';
import type { Claim, Limit } from './claims.ts';
import { weaker, type Verdict } from './reach.ts';

/** Whether a claim protects as strongly as another one, wherever both apply, and the limits that decide it. */
export type Comparison = { readonly verdict: Verdict; readonly failing: readonly Limit[] };

export function compareLimits(before: Claim, after: Claim): Comparison {
  const others = new Map(after.limits.map((limit) => [limit.path, limit]));
  let verdict: Verdict = 'yes';
  const failing: Limit[] = [];
  for (const limit of before.limits) {
    const other = others.get(limit.path);
    const found = other === undefined ? 'yes' : isAsStrong(limit, other);
    verdict = weaker(verdict, found);
    if (found !== 'yes') failing.push(limit);
  }
  return { verdict, failing };
}

function isAsStrong({ strength, value: before }: Limit, { value: after }: Limit): Verdict {
  if (strength.type === 'reach' || sameJson(before, after)) return 'yes';
  if (strength.type === 'mask') return isMaskedAsWell(before, after);
  if (hasPlaceholder(before) || hasPlaceholder(after)) return 'unknown';
  switch (strength.type) {
    case 'order': {
      const [was, is] = [before, after].map((value) =>
        strength.values.findIndex((same) => same.some((one) => one === value)),
      ) as [number, number]; // one for each
      if (was === -1 || is === -1 || was === is) return 'unknown';
      return is > was ? 'yes' : 'no';
    }
    case 'amount':
    case 'least':
      return isAtLeast(numberIn(after), numberIn(before));
    case 'most':
      return isAtLeast(numberIn(before), numberIn(after));
    case 'matches': {
      if (typeof before !== 'string' || typeof after !== 'string') return 'unknown';
      const isNarrower = isContained(after, [before]);
      return isNarrower === undefined ? 'unknown' : isNarrower ? 'yes' : 'no';
    }
    default:
      return 'unknown';
  }
}

/** A negative number is no limit, or has no documented meaning. */
function isAtLeast(one: number, other: number): Verdict {
  if (!(one >= 0 && other >= 0)) return 'unknown';
  return one >= other ? 'yes' : 'no';
}

/** NaN for other values. */
function numberIn(value: Json | undefined): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : NaN;
}

function isMaskedAsWell(before: Json | undefined, after: Json | undefined): Verdict {
  const [was, is] = [maskIn(before), maskIn(after)];
  if (!sameJson(was.others, is.others)) return 'unknown';
  if (was.type === is.type && was.type !== 'MASK_ALL') return isAtLeast(is.characters, was.characters);
  if (is.type === 'MASK_ALL' || was.type === is.type) return 'yes';
  const isKnown = [was, is].every(({ type }) => MASKS.includes(type));
  return isKnown ? 'no' : 'unknown';
}
const MASKS: readonly Json[] = ['MASK_ALL', 'MASK_FIRST_N', 'MASK_LAST_N'];

type Mask = { readonly type: Json; readonly characters: number; readonly others: Json };

function maskIn(rule: Json | undefined): Mask {
  const { type = 'MASK_ALL', numberOfChars, maskingChar: _, ...others } = isObject(rule) ? rule : {};
  return { type: type ?? 'MASK_ALL', characters: numberIn(numberOfChars), others };
}

/** The place of what differs. */
export function placeOf({ strength, at, value }: Limit, after: Json | undefined): Pointer {
  if (strength.type !== 'mask') return at;
  const [was, is] = [maskIn(value), maskIn(after)];
  if (!sameJson(was.others, is.others)) return at;
  return joinPointer(at, was.type === is.type ? 'numberOfChars' : 'type');
}
