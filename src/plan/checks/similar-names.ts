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
  /** The first address of those that are the same in lower case with their virtual clusters. */
  readonly #byWholeCase = new Map<string, Address>();
  readonly #byCase = new Map<string, Address>();
  /** By look: the first address, and the first outside of ASCII. */
  readonly #byLook = new Map<string, { readonly first: Address; exotic: Address | undefined }>();

  constructor(allAscii: boolean) {
    this.#allAscii = allAscii;
  }

  /** Adds an address; returns one that looks like it. */
  add(address: Address): Address | undefined {
    const same = this.#addByCase(address);
    if (this.#allAscii) return same;
    const look = keyOf(address, lookOf);
    const alike = this.#byLook.get(look);
    const exotic = isAscii(address) ? undefined : address;
    if (alike === undefined) this.#byLook.set(look, { first: address, exotic });
    else alike.exotic ??= exotic;
    const other = exotic === undefined ? alike?.exotic : alike?.first;
    return same ?? other;
  }

  /** Most addresses differ from all others in more than case, and need no key. */
  #addByCase(address: Address): Address | undefined {
    const whole = address.toLowerCase();
    const first = this.#byWholeCase.get(whole);
    if (first === undefined) {
      this.#byWholeCase.set(whole, address);
      return undefined;
    }
    this.#byCase.set(keyOf(first, lowerCase), first);
    const key = keyOf(address, lowerCase);
    const same = this.#byCase.get(key);
    if (same === undefined) this.#byCase.set(key, address);
    return same;
  }
}

function lowerCase(text: string): string {
  return text.toLowerCase();
}

/** The address with all but its virtual cluster changed: similar virtual clusters have a warning of their own. */
function keyOf(address: Address, change: (text: string) => string): string {
  const [name = '', scope = ''] = address.split('@');
  const axes = scope.split(',').map((axis) => (axis.startsWith('vCluster=') ? axis : change(axis)));
  return `${change(name)}@${axes.join(',')}`;
}
