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

/**
 * The commands that take objects out of Terraform's state, so that it does not delete them: first what depends on others, so
 * that a run that is cut off leaves nothing that Terraform could still delete from under it.
 */
export function stateRemovals(
  { program, managed, tokens }: TerraformState,
  kinds: KindSet,
): readonly string[] {
  const order = [...kinds.keys()].reverse();
  const rank = (kind: string): number => order.indexOf(kind);
  const resources = [...managed]
    .sort(([one], [other]) => rank(kindOf(one)) - rank(kindOf(other)) || (one < other ? -1 : 1))
    .flatMap(([, { from }]) => from);
  const addresses = [...tokens.map(({ from }) => from), ...resources];
  return addresses.map((address) => `${program} state rm ${quote(address)}`);
}

/** One word for a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
