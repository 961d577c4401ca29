import type { JsonObject } from '../model/json/json.ts';
import { forTerminal } from '../model/text/escape.ts';
import type { Address } from '../model/resource.ts';
import type { Catalog } from '../model/own-kind.ts';
import { readAddress } from '../schema/load/address.ts';
import { escapePlaceholders } from '../schema/load/as-declared.ts';
import { makeRemoval } from '../schema/kinds/removal.ts';
import { printYaml } from '../schema/yaml/print.ts';

/** Documents that delete these objects, or rename those that have a new address; empty if none can be named. */
export function removalsOf(
  objects: readonly { readonly address: Address; readonly to?: Address | undefined }[],
  { kinds }: Catalog,
): string {
  const named = objects.filter(({ address }) => 'address' in readAddress(address, kinds));
  const moved = named.flatMap(({ address: from, to }) => (to === undefined ? [] : [{ from, to }]));
  const remove = named.flatMap(({ address, to }) => (to === undefined ? [address] : []));
  const documents = [
    ...(moved.length === 0 ? [] : [makeRemoval('renamed', { moved, reason: 'renamed' })]),
    ...(remove.length === 0 ? [] : [makeRemoval('removed', { remove, reason: 'no longer needed' })]),
  ];
  return documents.length === 0 ? '' : printRemovals(documents);
}

function printRemovals(documents: readonly JsonObject[]): string {
  return printYaml(documents.map(escapePlaceholders), (text) => text.includes('${'));
}

/**
 * A removal of these objects, commented out, so that a reviewer decides. Without one `#` per line it is a document below `head`. `unnamed`
 * are those that a removal cannot name.
 */
export function proposeRemovals(
  addresses: readonly Address[],
  head: readonly string[],
  about: { readonly name: string; readonly reason: string },
  { kinds }: Catalog,
): { readonly text: string; readonly unnamed: readonly Address[] } {
  const isNamed = (address: Address): boolean => 'address' in readAddress(address, kinds);
  const named = addresses.filter(isNamed).sort();
  const unnamed = addresses.filter((address) => !isNamed(address)).sort();
  if (named.length === 0) return { text: '', unnamed };
  const { name, reason } = about;
  const document = printRemovals([makeRemoval(name, { reason, remove: named })]);
  const lines = [
    ...head.map((line) => `# ${forTerminal(line.replace(/\s+/g, ' '))}`),
    '',
    ...document.trimEnd().split('\n'),
  ];
  return { text: lines.map((line) => `${`# ${line}`.trimEnd()}\n`).join(''), unnamed };
}
