import { earlyFinder } from '../../effective/early-masks.ts';
import { chainsOf, makeEffectiveState } from '../../effective/effective-state.ts';
import { listExternalPrincipals, listPrincipals } from '../../effective/principals.ts';
import { valueAt } from '../../model/json/json.ts';
import type { KindSet } from '../../model/kind.ts';
import type { ChainLink } from '../../model/principal.ts';
import { makeProblem, type Problem } from '../../model/problem.ts';
import { kindOf } from '../../model/resource.ts';
import { asWritten } from '../../model/secrets/secrets.ts';
import { placeOf } from '../../model/state.ts';
import type { World } from './world.ts';

/** Masks that run for somebody before what they mask is decrypted. Only what files declare is looked at. */
export function* checkEarlyMasks({ desired, kinds }: World): Generator<Problem> {
  if (!hasUndoing(desired, kinds)) return;
  for (const [mask, decrypting] of findEarly(desired, kinds)) {
    const declared = desired.get(mask.address);
    if (declared === undefined) continue;
    yield makeProblem({
      code: 'early-mask',
      at: placeOf(declared, '/spec/priority'),
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

function findEarly(desired: World['desired'], kinds: KindSet): ReadonlyMap<ChainLink, ChainLink> {
  const state = makeEffectiveState(
    Array.from(desired, ([address, one]) => [address, asWritten(one)] as const),
    kinds,
  );
  const [find, chainOf] = [earlyFinder(kinds)(state.links()), chainsOf(state)];
  const found = new Map<ChainLink, ChainLink>();
  const seen = new Set<string>();
  for (const principal of [...listPrincipals(state), ...listExternalPrincipals(state)]) {
    const { virtualCluster } = principal;
    const key = JSON.stringify([virtualCluster, state.scopesOf(principal)]);
    if (seen.has(key)) continue;
    seen.add(key);
    const running = chainOf(principal).map(({ one }) => one);
    for (const [mask, by] of find(running, virtualCluster)) found.set(mask, by);
  }
  return found;
}
