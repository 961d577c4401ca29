import { sameJson, valueAt, type Json, type Pointer } from '../model/json/json.ts';
import type { ChainLink } from '../model/principal.ts';
import type { Address } from '../model/resource.ts';
import type { Claim } from './claims.ts';
import { placeOf, type Comparison } from './compare-limits.ts';
import { areContained, type Names, type Reach } from './reach.ts';

/** A claim of an interceptor, and what it applies to for a principal. */
export type Applied = { readonly link: ChainLink; readonly claim: Claim; readonly reach: Reach };
/** The same, compared with a claim of the chain before. */
export type Compared = Applied & Comparison;

/** What of the config of an interceptor makes that it no longer protects so much. */
export function fieldsOf(
  { link, claim, reach }: Applied,
  compared: readonly Compared[],
  now: ReadonlyMap<Address, ChainLink>,
  read: (link: ChainLink) => readonly Claim[],
): readonly Pointer[] {
  const is = now.get(link.address);
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
