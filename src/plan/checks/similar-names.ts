import type { Problem } from '../../model/problem.ts';
import type { Address } from '../../model/resource.ts';
import { placeOf } from '../../model/state.ts';
import { isAscii, lookOf, spellOut } from '../../model/text/looks.ts';
import { isPlanned, type World } from './world.ts';

/**
 * Declared names that look like another of the same kind and virtual cluster, declared or on the gateway. Names in plain ASCII
 * are compared without case only: 0 and O, or 1 and l, are in many honest names.
 */
export function* checkSimilarNames(world: World): Generator<Problem> {
  const { desired, declared = desired } = world;
  const planned = isPlanned(world) ? world : undefined;
  const others = [...(planned?.live.resources.keys() ?? [])].filter(
    (address) => !declared.has(address) && planned?.changes.get(address)?.action !== 'delete',
  );
  const known = new KnownNames([...others, ...declared.keys()].every(isAscii));
  for (const address of others) known.add(address);
  for (const one of declared.values()) {
    const { address } = one;
    const other = known.add(address);
    if (other === undefined || planned?.isSelected(address) === false) continue;
    const isCase = address.toLowerCase() === other.toLowerCase();
    yield {
      code: 'similar-names',
      severity: 'warning',
      message: isCase
        ? `${address} differs from ${other} only in upper and lower case`
        : `${spellOut(address)} looks like ${spellOut(other)}`,
      at: placeOf(one, '/metadata/name'),
      address,
      path: '/metadata/name',
      hint: 'rename one of them, unless both are intended',
    };
  }
}

/** Addresses by what they look like. */
class KnownNames {
  readonly #allAscii: boolean;
  readonly #byCase = new Map<string, Address>();
  /** By look: the first address, and the first outside of ASCII. */
  readonly #byLook = new Map<string, { readonly first: Address; exotic: Address | undefined }>();

  constructor(allAscii: boolean) {
    this.#allAscii = allAscii;
  }

  /** Adds an address; returns one that looks like it. */
  add(address: Address): Address | undefined {
    const lower = keyOf(address, (text) => text.toLowerCase());
    const same = this.#byCase.get(lower);
    if (same === undefined) this.#byCase.set(lower, address);
    if (this.#allAscii) return same;
    const look = keyOf(address, lookOf);
    const alike = this.#byLook.get(look);
    const exotic = isAscii(address) ? undefined : address;
    if (alike === undefined) this.#byLook.set(look, { first: address, exotic });
    else alike.exotic ??= exotic;
    const other = exotic === undefined ? alike?.exotic : alike?.first;
    return same ?? other;
  }
}

/** The address with all but its virtual cluster changed: similar virtual clusters have a warning of their own. */
function keyOf(address: Address, change: (text: string) => string): string {
  const [name = '', scope = ''] = address.split('@');
  const axes = scope.split(',').map((axis) => (axis.startsWith('vCluster=') ? axis : change(axis)));
  return `${change(name)}@${axes.join(',')}`;
}
