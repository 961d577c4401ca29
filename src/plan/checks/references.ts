import { groupBy } from '../../model/collect.ts';
import { referencesOf } from '../../model/normal/normal-form.ts';
import type { Problem } from '../../model/problem.ts';
import { isSound, kindOf, type Address } from '../../model/resource.ts';
import { placeOf } from '../../model/state.ts';
import { compileGlobs } from '../../model/text/glob.ts';
import { suggest } from '../../model/text/suggest.ts';
import { isBuiltIn } from '../change/select.ts';
import { isPlanned, type World } from './world.ts';

/**
 * References to what is not there. Without a plan the gateway may still have it: each is a warning, unless the rules say
 * that others manage it. With a plan, to what will not be on the gateway: each is an error.
 */
export function* checkReferences(world: World): Generator<Problem> {
  const { desired, declared = desired, kinds, rules } = world;
  const planned = isPlanned(world) ? world : undefined;
  const isExternal = compileGlobs((rules.external ?? []).map(({ address }) => address));
  let known: ReadonlyMap<string, readonly Address[]> | undefined;
  let count = 0;
  const suggestFor = (address: Address): string | undefined => {
    known ??= groupBy([...declared.keys(), ...(planned?.live.resources.keys() ?? [])], kindOf);
    // Suggestions for the first few only: each costs time, and ten thousand help as little.
    return count < 50 ? suggest(address, known.get(kindOf(address)) ?? []) : undefined;
  };
  const isThere = (to: Address): boolean =>
    planned === undefined
      ? isExternal(to)
      : planned.live.resources.has(to) && planned.changes.get(to)?.action !== 'delete';
  for (const one of declared.values()) {
    const { address, resource } = one;
    const kind = kinds.get(kindOf(address));
    if (kind === undefined || planned?.isSelected(address) === false) continue;
    for (const { to, path } of referencesOf(resource, kind)) {
      if (isThere(to) || isBuiltIn(to, kinds) || !isSound(one, [path])) continue;
      const isLeftOut = declared.has(to);
      if (isLeftOut && (planned?.isSelected(to) !== false || !planned.changes.has(address))) continue;
      const near = isLeftOut ? undefined : suggestFor(to);
      const state = isLeftOut ? 'is declared but left out of this plan' : 'no file declares';
      const onGateway = planned === undefined ? '' : ' and the gateway does not have';
      yield {
        code: 'dangling-reference',
        severity: planned === undefined ? 'warning' : 'error',
        message: `${address} refers to ${to}, which ${state}${isLeftOut ? ', and the gateway does not have it' : onGateway}`,
        at: placeOf(one, path),
        address,
        path,
        hint: isLeftOut
          ? `select ${to} too`
          : `declare ${to}${near === undefined ? '' : `; or did you mean ${near}?`}`,
      };
      count += 1;
    }
  }
}
