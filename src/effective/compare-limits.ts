import { ExactNumber } from '../model/json/exact-number.ts';
import {
  canonicalText,
  isObject,
  joinPointer,
  sameJson,
  type Json,
  type Pointer,
  valueAt,
} from '../model/json/json.ts';
import { memoize } from '../model/collect.ts';
import { isContained } from '../model/regex/contain-regex.ts';
import { hasPlaceholder } from '../model/text/placeholder.ts';
import type { Claim, Limit } from './claims.ts';
import {
  areContained,
  isOpenFor,
  isUnjudged,
  weaker,
  type Names,
  type Reach,
  type Verdict,
} from './reach.ts';
import { hasHidden } from '../model/secrets/hidden.ts';
import type { Strength } from '../model/strength.ts';
import type { ChainLink } from '../model/principal.ts';

/** Whether a claim protects as strongly as another one, wherever both apply, and the limits that decide it. */
export type Comparison = { readonly verdict: Verdict; readonly failing: readonly Limit[] };

export function compareLimits(before: Claim, after: Claim): Comparison {
  const others = new Map(after.limits.map((limit) => [limit.path, limit]));
  // Of all of a payload, what stands beside it counts for each of its fields.
  const pathIn = (path: string): string =>
    path.startsWith(`${before.facet}/`) ? after.facet + path.slice(before.facet.length) : path;
  let verdict: Verdict = 'yes';
  const failing: Limit[] = [];
  for (const limit of before.limits) {
    const other = others.get(pathIn(limit.path));
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
      if (was === -1 || was === is) return 'unknown';
      return is > was ? 'yes' : 'no';
    }
    case 'amount':
    case 'least':
      return isKept(numberIn(before), numberIn(after), (was, is) => is >= was);
    case 'most':
      return isKept(numberIn(before), numberIn(after), (was, is) => is <= was);
    case 'matches': {
      if (typeof before !== 'string' || typeof after !== 'string') return 'unknown';
      const isNarrower = isContained(after, [before]);
      return isNarrower === undefined ? 'unknown' : isNarrower ? 'yes' : 'no';
    }
    default:
      return 'unknown';
  }
}

/** Whether a value decides which of two claims protects more that is hidden, or that the other one has in place of one that can be judged. */
export function dependOnUnknown(one: Applied, other: Compared): boolean {
  if (dependOnHidden(one.claim, other.claim) || isOpenFor(one.reach, other.reach)) return true;
  if (hasPlaceholder(other.claim.name) && !hasPlaceholder(one.claim.name)) return true;
  const { verdict, failing } = other;
  const isReadable = ({ strength, value }: Limit): boolean =>
    strength.type === 'matches' && typeof value === 'string' && !isUnjudged(value);
  if (verdict === 'unknown' && failing.length > 0 && failing.every(isReadable)) return true;
  const values = new Map(one.claim.limits.map(({ path, value }) => [path, value]));
  return other.claim.limits.some(
    ({ path, strength, value }) =>
      strength.type !== 'reach' && hasOrder(strength) && isFilledIn(value) && !isFilledIn(values.get(path)),
  );
}

/** Whether the gateway fills in a part of it. */
function isFilledIn(value: Json | undefined): boolean {
  return hasPlaceholder(isObject(value) ? canonicalText(value) : value);
}

/** Whether a hidden value in which two claims differ could decide which of them protects more. */
function dependOnHidden(one: Claim, other: Claim): boolean {
  const isVague = one.isVague || other.isVague;
  if (isVague && one.name !== other.name && hasHidden([one.name, other.name])) return true;
  if (!hasHiddenLimit(one).is && !hasHiddenLimit(other).is) return false;
  return [one, other].some((claim) => {
    const values = new Map((claim === one ? other : one).limits.map(({ path, value }) => [path, value]));
    return claim.limits.some(
      ({ path, strength, value }) =>
        hasHidden(value) && !sameJson(value, values.get(path)) && (isVague || hasOrder(strength)),
    );
  });
}

const hasHiddenLimit = memoize(({ limits }: Claim) => ({ is: limits.some(({ value }) => hasHidden(value)) }));

/** Whether it is documented which of two values protects more. */
function hasOrder(strength: Strength): boolean {
  return strength.type === 'reach' ? strength.by !== 'undocumented' : strength.type !== 'unknown';
}

/** A negative number is no limit, or has no documented meaning, and so has what is no number: no protection in place of one. */
function isKept(was: number, is: number, isAsStrict: (was: number, is: number) => boolean): Verdict {
  if (!(was >= 0)) return 'unknown';
  return is >= 0 && isAsStrict(was, is) ? 'yes' : 'no';
}

/** NaN for other values. */
function numberIn(value: Json | undefined): number {
  if (typeof value === 'number') return value;
  if (value instanceof ExactNumber) return value.nearest;
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : NaN;
}

function isMaskedAsWell(before: Json | undefined, after: Json | undefined): Verdict {
  const [was, is] = [maskIn(before), maskIn(after)];
  // What is not known beside it makes up for nothing.
  return weaker(sameJson(was.others, is.others) ? 'yes' : 'unknown', areMaskedAsWell(was, is));
}

function areMaskedAsWell(was: Mask, is: Mask): Verdict {
  if (is.type === 'MASK_ALL') return 'yes';
  if ([was, is].some(({ type, length }) => hasPlaceholder(type) || hasPlaceholder(length))) return 'unknown';
  if (was.type === is.type)
    return isKept(numberIn(was.length), numberIn(is.length), (one, other) => other >= one);
  return MASKS.includes(was.type) ? 'no' : 'unknown';
}
const MASKS: readonly Json[] = ['MASK_ALL', 'MASK_FIRST_N', 'MASK_LAST_N'];

type Mask = { readonly type: Json; readonly length: Json | undefined; readonly others: Json };

function maskIn(rule: Json | undefined): Mask {
  const { type = 'MASK_ALL', numberOfChars, maskingChar: _, ...others } = isObject(rule) ? rule : {};
  return { type: type ?? 'MASK_ALL', length: numberOfChars, others };
}

/** The place of what differs. */
function placeOf({ strength, at, value }: Limit, after: Json | undefined): Pointer {
  if (strength.type !== 'mask') return at;
  const [was, is] = [maskIn(value), maskIn(after)];
  if (!sameJson(was.others, is.others)) return at;
  return joinPointer(at, was.type === is.type ? 'numberOfChars' : 'type');
}

/** A claim of an interceptor, and what it applies to for a principal. */
export type Applied = { readonly link: ChainLink; readonly claim: Claim; readonly reach: Reach };
/** The same, compared with a claim of the chain before. */
export type Compared = Applied & Comparison;

/** What of the config of an interceptor makes that it no longer protects so much. */
export function fieldsOf(
  { link, claim, reach }: Applied,
  compared: readonly Compared[],
  is: ChainLink | undefined,
  read: (link: ChainLink) => readonly Claim[],
): readonly Pointer[] {
  if (is === undefined) return [];
  if (is.pluginClass !== link.pluginClass) return ['/spec/pluginClass'];
  const own = compared.filter((one) => one.link === is);
  const [best] = own.toSorted((one, other) => one.failing.length - other.failing.length);
  const found =
    best === undefined
      ? missingIn(claim, read(is))
      : [...failingIn(best), ...narrowerIn(claim, reach, best.reach)];
  const isChanged = (pointer: Pointer): boolean =>
    !sameJson(at(link.config, pointer), at(is.config, pointer));
  const places = found.length === 0 ? [claim.at] : found;
  const lists = places.map((pointer) => (isChanged(pointer) ? pointer : listOf(pointer)));
  return [...new Set(lists)].filter(isChanged);
}

/** Where it no longer says so, or says so for others. */
function missingIn(claim: Claim, others: readonly Claim[]): readonly Pointer[] {
  const isThere = others.some(({ facet, name }) => facet === claim.facet && name === claim.name);
  if (!isThere) return [claim.at];
  return claim.limits.flatMap(({ strength, at: place }) =>
    strength.type === 'reach' && (strength.axis === 'username' || strength.axis === 'virtualCluster')
      ? [place]
      : [],
  );
}

function failingIn({ failing, claim }: Compared): readonly Pointer[] {
  return failing.map((limit) => placeOf(limit, claim.limits.find(({ path }) => path === limit.path)?.value));
}

function narrowerIn({ limits }: Claim, reach: Reach, other: Reach): readonly Pointer[] {
  return limits.flatMap(({ strength, at: place }) => {
    if (strength.type !== 'reach') return [];
    const { axis } = strength;
    const all: Names = { type: 'all' };
    const isWithin = areContained(reach.get(axis) ?? all, [other.get(axis) ?? all], axis);
    return isWithin === 'yes' ? [] : [place];
  });
}

function at(config: Json, pointer: Pointer): Json | undefined {
  return valueAt(config, pointer.replace(/^\/spec\/config/, '') as Pointer);
}

/** The list that an item is in: which index it has says nothing. */
function listOf(pointer: Pointer): Pointer {
  return pointer.replace(/\/\d+(?:\/.*)?$/, '') as Pointer;
}
