import { addTo } from '../../model/collect.ts';
import type { Reference } from '../../model/kind.ts';
import { referencesOf } from '../../model/normal/references-of.ts';
import type { Problem } from '../../model/problem.ts';
import { kindOf, type Address } from '../../model/resource.ts';
import { placeOf, type Declared } from '../../model/state.ts';
import { suggest } from '../../model/text/suggest.ts';
import { isBuiltIn, makeGlobMatcher } from '../change/select.ts';
import { isPlanned, type World } from './world.ts';

/**
 * References to what is not there. Without a plan the gateway may still have it: each is a warning, unless the rules say
 * that others manage it. With a plan, to what will not be on the gateway: each is an error.
 */
export function checkReferences(world: World): readonly Problem[] {
  const { desired, declared = desired, kinds, rules } = world;
  const planned = isPlanned(world) ? world : undefined;
  const externals = (rules.external ?? []).map(({ address }) => makeGlobMatcher(address));
  const problems: Problem[] = [];
  let known: ReadonlyMap<string, readonly Address[]> | undefined;
  const suggestFor = (address: Address): string | undefined => {
    known ??= byKind([...declared.keys(), ...(planned?.live.resources.keys() ?? [])]);
    // Suggestions for the first few: nobody reads those of ten thousand, and each costs time.
    return problems.length < 50 ? suggest(address, known.get(kindOf(address)) ?? []) : undefined;
  };
  const isThere = (to: Address): boolean =>
    planned === undefined
      ? externals.some((matches) => matches(to))
      : planned.live.resources.has(to) && planned.changes.get(to)?.action !== 'delete';
  for (const one of desired.values()) {
    const { address, resource } = one;
    const kind = kinds.get(kindOf(address));
    if (kind === undefined || planned?.isSelected(address) === false) continue;
    for (const { to, path } of referencesOf(resource, kind)) {
      if (isBuiltIn(to, kinds) || isThere(to)) continue;
      if (!declared.has(to)) problems.push(dangling(one, to, path, planned === undefined, suggestFor(to)));
      else if (planned?.isSelected(to) === false && planned.changes.has(address))
        problems.push(leftOut(one, to, path));
    }
  }
  return problems;
}

function dangling(
  declared: Declared,
  to: Address,
  path: Reference['path'],
  offline: boolean,
  near: string | undefined,
): Problem {
  return {
    code: 'dangling-reference',
    severity: offline ? 'warning' : 'error',
    message: `${declared.address} refers to ${to}, which no file declares${offline ? '' : ' and the gateway does not have'}`,
    at: placeOf(declared, path),
    address: declared.address,
    path,
    hint: `declare ${to}${near === undefined ? '' : `; or did you mean ${near}?`}`,
  };
}

function leftOut(declared: Declared, to: Address, path: Reference['path']): Problem {
  return {
    code: 'dangling-reference',
    severity: 'error',
    message: `${declared.address} refers to ${to}, which is declared but left out of this plan, and the gateway does not have it`,
    at: placeOf(declared, path),
    address: declared.address,
    path,
    hint: `select ${to} too`,
  };
}

function byKind(addresses: readonly Address[]): ReadonlyMap<string, readonly Address[]> {
  const kinds = new Map<string, Address[]>();
  for (const address of addresses) addTo(kinds, kindOf(address), address);
  return kinds;
}
