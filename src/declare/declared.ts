import type { JsonObject, Pointer } from '../model/json/json.ts';
import type { Problem } from '../model/problem.ts';
import { type Address, kindOf, axisOf } from '../model/resource.ts';
import type { IsSecret } from '../plan/change/former-secrets.ts';
import type { Catalog } from '../model/own-kind.ts';
import { digest } from '../plan/saved/digest.ts';

/** A live resource as a document of a file; its value has placeholders, and its keys are in canonical order. */
export type Document = {
  readonly address: Address;
  readonly value: JsonObject;
  /** Placeholders whose values are numbers, true or false: they stand without quotes. */
  readonly plain?: ReadonlySet<string>;
};

/** A variable for a secret. */
export type SecretVariable = {
  readonly name: string;
  /** Undefined if the gateway did not return it. */
  readonly value: string | undefined;
  readonly at: readonly { readonly address: Address; readonly path: Pointer }[];
};

export type Declared = {
  /** By address. */
  readonly documents: readonly Document[];
  /** By name. */
  readonly variables: readonly SecretVariable[];
  /** Errors for values that documents cannot express, warnings for values that they leave out. */
  readonly problems: readonly Problem[];
};

/**
 * Whether a variable cannot have a name, with the value that it is for; undefined if that is not known. One that is set to something
 * else must not be sent to a gateway that chose its name.
 */
export type IsTaken = (name: string, value: string | undefined) => boolean;

/** The name of the secrets at some places: `pattern` is a glob over `ADDRESS POINTER`. */
export type SecretName = { readonly pattern: string; readonly name: string };

export type DeclareOptions = {
  /** Default: every resource that a file can declare. */
  readonly isSelected?: (address: Address) => boolean;
  /** Recognises the values of secret variables. */
  readonly isSecret?: IsSecret | undefined;
  /** Recognises the text that stands for a secret whose value is not known, as in a snapshot. Equal ones are the same secret. */
  readonly isSealed?: (text: string) => boolean;
  /** More places of secrets, in a resource in the form of a file. */
  readonly hidden?: (address: Address, value: JsonObject) => readonly Pointer[];
  /** Recognises text that a variable of the user fills in: no secret, whatever its place. */
  readonly isOpen?: (text: string) => boolean;
  /** Default: no name is. */
  readonly isTaken?: IsTaken;
  /** Names that the user has chosen; of several that match, the first one counts. */
  readonly secretNames?: readonly SecretName[] | undefined;
  /** Whether kinds of gwconf are written where they say the same. */
  readonly ownKinds?: boolean;
};

/** How documents are spread over files; in this file, because the help prints them. */
export const LAYOUTS = ['by-virtual-cluster', 'by-kind', 'one-file'] as const;
export type Layout = (typeof LAYOUTS)[number];

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
  const folders = new Set([SHARED]);
  for (const address of addresses) if (folders.add(folderOf(address)).size > 2) return 'by-virtual-cluster';
  return 'by-kind';
}

function folderOf(address: Address): string {
  const name = axisOf(address, 'vCluster');
  return name === undefined ? SHARED : safeName(name);
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
/** Devices of Windows, with any extension; what gwconf does not read in folders, or looks for above them; and what git ignores as gwconf init has it. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)|^(?:node_modules|gwconf\.yaml)$|\.(?:json|pem)$/;

/** Between private-use characters, which no file that is read may contain. */
const PLACEHOLDER = /\uE000([A-Za-z_]\w*)\uE001/g;

/** The placeholder in a path, query or body for a variable that the file does not set. */
export function makePlaceholder(name: string): string {
  return `\uE000${name}\uE001`;
}

/** The names of the variables in a text, in order, also repeated ones. */
export function placeholdersIn(text: string): readonly string[] {
  return [...text.matchAll(PLACEHOLDER)].map(([, name]) => name as string); // the group is not optional
}

/** Whether a text is a placeholder and nothing else. */
export function isPlaceholder(text: string): boolean {
  return new RegExp(`^${PLACEHOLDER.source}$`).test(text);
}

/** A text with each placeholder as a variable of gwconf: `${NAME}`. */
export function withVariables(text: string): string {
  return text.replace(PLACEHOLDER, (_, name: string) => `\${${name}}`);
}
