import type { Catalog } from '../model/own-kind.ts';
import { kindOf, parseAddress, type Address } from '../model/resource.ts';
import { digest } from '../plan/saved/digest.ts';
import type { Layout } from './declared.ts';

/** The folder of what belongs to no virtual cluster. */
const SHARED = '_global';

/**
 * The file of a document, relative to the folder of all files, from its address alone: `prod/alias-topic.yaml`. It is safe on
 * every file system, and no two are equal where case does not count.
 */
export function fileOf(address: Address, layout: Layout, { kinds }: Catalog): string {
  if (layout === 'one-file') return 'gateway.yaml';
  const collection = kinds.get(kindOf(address))?.collection ?? kindOf(address);
  const file = `${safeName(collection.slice(collection.lastIndexOf('/') + 1))}.yaml`;
  return layout === 'by-kind' ? file : `${folderOf(address)}/${file}`;
}

/** The layout that fits: folders for virtual clusters if there is more than one. */
export function chooseLayout(addresses: Iterable<Address>): Layout {
  const folders = new Set<string>();
  for (const address of addresses) folders.add(folderOf(address));
  folders.delete(SHARED);
  return folders.size > 1 ? 'by-virtual-cluster' : 'by-kind';
}

function folderOf(address: Address): string {
  const name = parseAddress(address)?.scope['vCluster'];
  return typeof name === 'string' ? safeName(name) : SHARED;
}

/** A hash is added to a name that is not safe as it is. No safe name has the ~ before it. */
export function safeName(name: string): string {
  if (SAFE.test(name) && !name.endsWith('.') && !RESERVED.test(name)) return name;
  const readable = name
    .toLowerCase()
    .replace(/[^a-z\d]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 40);
  return `${readable === '' ? 'name' : readable}~${digest(name).slice(0, 8)}`;
}

const SAFE = /^[a-z\d][a-z\d._-]{0,99}$/;
/** Devices of Windows, with any extension. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/;
