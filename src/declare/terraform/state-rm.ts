import type { KindSet } from '../../model/kind.ts';
import { kindOf } from '../../model/resource.ts';
import type { TerraformState } from './read-terraform.ts';

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
