import { groupBy } from '../../model/collect.ts';
import type { KindSet } from '../../model/kind.ts';
import { kindOf, parseAddress, type Address } from '../../model/resource.ts';
import type { TerraformState } from './read-terraform.ts';

/**
 * Live objects that Terraform may have left behind: the provider writes an interceptor with a new scope, which makes another
 * object, and forgets the former one.
 */
export function findLeftBehind(
  { managed }: Pick<TerraformState, 'managed'>,
  live: Iterable<Address>,
  kinds: KindSet,
): ReadonlyMap<Address, Address> {
  const scoped = [...managed.keys()].filter((address) => (kinds.get(kindOf(address))?.axes.length ?? 0) > 1);
  const byName = groupBy(scoped, nameOf);
  const found = new Map<Address, Address>();
  for (const address of live) {
    const [of] = byName.get(nameOf(address)) ?? [];
    if (of !== undefined && !managed.has(address)) found.set(address, of);
  }
  return found;
}

function nameOf(address: Address): string {
  return `${kindOf(address)}/${parseAddress(address)?.name ?? ''}`;
}
