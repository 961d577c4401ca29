import { forTerminal } from '../model/text/escape.ts';
import type { Address } from '../model/resource.ts';
import type { Catalog } from '../model/own-kind.ts';
import { readAddress } from '../schema/load/address.ts';
import { escapePlaceholders } from '../schema/load/as-declared.ts';
import { makeRemoval } from '../schema/kinds/removal.ts';
import { printYaml } from '../schema/yaml/print.ts';

/** Comments that propose to remove objects, and those that a removal cannot name. */
export type Proposal = { readonly text: string; readonly unnamed: readonly Address[] };

/** A removal of these objects, commented out, so that a reviewer decides. Without one `#` per line it is a document below `head`. */
export function proposeRemovals(
  addresses: readonly Address[],
  head: readonly string[],
  about: { readonly name: string; readonly reason: string },
  { kinds }: Catalog,
): Proposal {
  const isNamed = (address: Address): boolean => 'address' in readAddress(address, kinds);
  const named = addresses.filter(isNamed).sort();
  const unnamed = addresses.filter((address) => !isNamed(address)).sort();
  if (named.length === 0) return { text: '', unnamed };
  const { name, reason } = about;
  const removal = escapePlaceholders(makeRemoval(name, { reason, remove: named }));
  const document = printYaml([removal], (text) => text.includes('${'));
  const lines = [
    ...head.map((line) => `# ${forTerminal(line.replace(/\s+/g, ' '))}`),
    '',
    ...document.trimEnd().split('\n'),
  ];
  return { text: lines.map((line) => `${`# ${line}`.trimEnd()}\n`).join(''), unnamed };
}
