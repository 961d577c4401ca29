import { join } from 'node:path';
import { addTo } from '../../model/collect.ts';
import type { Problem, SourceFile } from '../../model/problem.ts';
import type { Address } from '../../model/resource.ts';
import type { Document } from '../../declare/declared.ts';
import { placeDocuments, type Tree } from '../../declare/import/place-documents.ts';
import type { Host } from '../host.ts';
import { isInside } from '../project/find-project.ts';
import type { Input } from '../project/input.ts';
import type { Workspace } from '../project/workspace.ts';
import { RequestError } from '../system-error.ts';
import type { Proposal } from './change-files.ts';
import { isYamlOrJson } from '../../model/text/file-ending.ts';

/** Puts documents into the files of an environment: those of their neighbours, new ones, or the one that is named. */
export function addDocuments(
  host: Pick<Host, 'exists'>,
  workspace: Workspace,
  input: Input,
  documents: readonly Document[],
  to: string | undefined,
): { readonly proposal: Proposal; readonly problems: readonly Problem[] } {
  if (to !== undefined) checkTarget(host, input, to);
  const { value: added, problems } = placeDocuments(
    documents,
    treeOf(host, workspace, input),
    to,
    workspace.catalog,
  );
  return { proposal: { changed: new Map(), added, addressOf: () => undefined }, problems };
}

/** Where a new file goes that declares nothing; undefined if no folder is the environment's own. */
export function findPath(
  host: Pick<Host, 'exists'>,
  workspace: Workspace,
  input: Input,
  to: string | undefined,
  name: string,
): string | undefined {
  if (to !== undefined) checkTarget(host, input, to);
  return to ?? treeOf(host, workspace, input).newPath(name);
}

/** The plan must find what is added. Throws a RequestError. */
function checkTarget({ exists }: Pick<Host, 'exists'>, { paths, files }: Input, to: string): void {
  if (!/\.ya?ml$/i.test(to)) throw new RequestError(`expected --to to be a YAML file; found ${to}`);
  if (!paths.some((path) => isInside(to, path)))
    throw new RequestError(`${to} is not read: it is not among the files, ${paths.join(', ')}`);
  if (exists(to) && !files.some(({ path }) => path === to))
    throw new RequestError(`${to} is there, but was not read`);
}

/** The other environments that read a file. */
export function findOtherReaders(
  { project: { filesByEnvironment }, environment }: Workspace,
  path: string,
): readonly string[] {
  return [...filesByEnvironment].flatMap(([name, layers]) =>
    name !== environment?.name && layers.some((layer) => isInside(path, layer)) ? [name] : [],
  );
}

function treeOf(
  { exists }: Pick<Host, 'exists'>,
  workspace: Workspace,
  { files, paths, declared }: Input,
): Tree {
  const addresses = new Map<SourceFile, Address[]>();
  const inFiles = new Set(files);
  for (const { address, document } of declared.values())
    if (inFiles.has(document.file)) addTo(addresses, document.file, address);
  const sharedWith = (path: string): readonly string[] => findOtherReaders(workspace, path);
  const isFolder = (path: string): boolean => !isYamlOrJson(path) && path !== '-';
  // The last layer is the most specific one.
  const home = paths.findLast((path) => isFolder(path) && sharedWith(path).length === 0);
  const known = new Set(files.map(({ path }) => path));
  return {
    addresses,
    sharedWith,
    newPath: (name) => {
      const path = home === undefined ? undefined : join(home, name);
      return path !== undefined && exists(path) && !known.has(path) ? undefined : path;
    },
  };
}
