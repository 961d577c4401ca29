import { claimsReader, nearReader, topicsOfClaim } from '../../effective/claim-reader.ts';
import type { Claim } from '../../effective/claims.ts';
import { chainsOf, makeEffectiveState, type EffectiveState } from '../../effective/effective-state.ts';
import { clusterOf, isFor } from '../../effective/overtaken.ts';
import { listExternalPrincipals, listPrincipals } from '../../effective/principals.ts';
import { areContained, type Names } from '../../effective/reach.ts';
import { isApart, undoingReader } from '../../effective/undoing.ts';
import type { KindSet } from '../../model/kind.ts';
import type { ChainLink } from '../../model/principal.ts';
import { valueAt } from '../../model/json/json.ts';
import { makeProblem, type Problem } from '../../model/problem.ts';
import { kindOf } from '../../model/resource.ts';
import { asWritten } from '../../model/secrets/secrets.ts';
import { placeOf } from '../../model/state.ts';
import type { World } from './world.ts';

/**
 * Masks that run for somebody before what they mask is decrypted, where none runs after that. What a mask does with an encrypted value
 * is not documented (gateway-api B.4: a lower priority runs first). Only what files declare is looked at, and no topics that are hidden.
 */
export function* checkEarlyMasks({ desired, kinds }: World): Generator<Problem> {
  if (!hasUndoing(desired, kinds)) return;
  const declared = Array.from(desired, ([address, one]) => [address, asWritten(one)] as const);
  for (const [mask, decrypting] of findEarly(makeEffectiveState(declared, kinds), kinds)) {
    const one = desired.get(mask.address);
    if (one === undefined) continue;
    yield makeProblem({
      code: 'early-mask',
      at: placeOf(one, '/spec/priority'),
      address: mask.address,
      path: '/spec/priority',
      message: `${mask.address} runs before ${decrypting.address}, which decrypts what it masks`,
      hint: `give it a priority above ${decrypting.priority}: what a mask does with an encrypted value is not documented`,
    });
  }
}

/** Most files have no interceptor that takes a protection off, and nothing else of them is looked at. */
function hasUndoing(desired: World['desired'], kinds: KindSet): boolean {
  for (const [address, { resource }] of desired) {
    const variants = kinds.get(kindOf(address))?.variants;
    if (variants === undefined) continue;
    const chosen = valueAt(resource, variants.by);
    if (variants.known.find(({ name }) => name === chosen)?.undoes !== undefined) return true;
  }
  return false;
}

/** Each of these masks, with the last interceptor that decrypts what it masks. */
function findEarly(state: EffectiveState, kinds: KindSet): ReadonlyMap<ChainLink, ChainLink> {
  const { undoesOf, isUndoing, topicsOf, lifts, namesLate } = undoingReader(kinds);
  const read = claimsReader(kinds);
  const { near } = nearReader(kinds);
  const found = new Map<ChainLink, ChainLink>();
  const nearAll = near(state.links());
  /** Whether something encrypts, for whomever, what a claim is about and an interceptor decrypts, on topics other than these. */
  const isLifted = (claim: Claim, by: ChainLink, of: string, late: readonly Names[]): boolean => {
    const isLate = (names: Names): boolean => areContained(names, late, 'topic') === 'yes';
    const topics = topicsOfClaim(claim);
    if (isLate(topics) || isLate(topicsOf(by))) return false;
    const isIt = (own: Claim): boolean =>
      (own.what !== 'field' || own.name === claim.name) &&
      !isApart(topicsOfClaim(own), topics) &&
      lifts(by, own) === 'yes' &&
      !isLate(topicsOfClaim(own));
    return nearAll(topics).some(
      (link) =>
        link.protects.some((sort) => sort === undoesOf(by)?.protection) &&
        isFor(clusterOf(link), of) &&
        read(link).some(isIt),
    );
  };

  const chainOf = chainsOf(state);
  const seen = new Set<string>();
  for (const principal of [...listPrincipals(state), ...listExternalPrincipals(state)]) {
    const { virtualCluster } = principal;
    const key = JSON.stringify([virtualCluster, state.scopesOf(principal)]);
    if (seen.has(key)) continue;
    seen.add(key);
    const running = chainOf(principal).map(({ one }) => one);
    const nearby = near(running);
    for (const by of running.filter(isUndoing)) {
      const isEarly = (mask: ChainLink): boolean =>
        mask.priority < by.priority &&
        mask.protects.some((sort) => sort === undoesOf(by)?.after) &&
        read(mask).some(
          (claim) =>
            lifts(by, claim) === 'yes' &&
            isLifted(claim, by, virtualCluster, namesLate(claim, mask, nearby(topicsOfClaim(claim)))),
        );
      for (const mask of nearby(topicsOf(by))) if (isEarly(mask)) found.set(mask, by);
    }
  }
  return found;
}
