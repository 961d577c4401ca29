import { extname, isAbsolute, join, posix, relative } from 'node:path';
import type { Problem, SourceFile } from '../../model/problem.ts';
import type { Host } from '../host.ts';
import { FileError, reasonOf } from '../system-error.ts';
import type { Place } from './find-base.ts';
import { MissingObject, type GitTree, type TreeNode } from './git-tree.ts';

/** A file of a commit that is to be read, with the path that the program would give it. */
export type ListedFile = Omit<SourceFile, 'text'> & { readonly id: string };

/** The files of a commit, by the paths of the program that calls. */
export type CommitFiles = {
  /** The id of its root folder. */
  readonly tree: string;
  /** The YAML and JSON files that paths name, as `Host.readSources` finds them in a work tree. What is not there is left out. */
  readonly list: (paths: readonly string[]) => Promise<readonly ListedFile[]>;
  readonly read: (file: ListedFile, mostBytes: number) => Promise<SourceFile>;
  /** A host on which this commit is checked out. It has the project file and what lies beside it and above. */
  readonly asHost: () => Promise<Host>;
};

const EXTENSIONS = new Set(['.yaml', '.yml', '.json']);
/** No project file is larger. */
const MOST_BYTES = 10_000_000;
/** A commit of a few kilobytes can have any number of files and folders, because equal folders are one object. */
const MOST_FILES = 100_000;
/** No system has longer paths. */
const LONGEST_PATH = 4096;

/** What was listed, by the paths and what they led to: in most commits that is the same. */
export type Listings = Map<string, readonly ListedFile[]>;

export function openCommit(
  host: Host,
  tree: GitTree,
  { root, prefix }: Place,
  treeId: string,
  listings: Listings,
): CommitFiles {
  const inRepository = (path: string): string => {
    const own = path.replaceAll('\\', '/');
    const inside = isAbsolute(path) ? relative(root, path).replaceAll('\\', '/') : posix.join(prefix, own);
    if (inside === '..' || inside.startsWith('../'))
      throw new FileError(`${path} lies outside of the repository`);
    return inside.replace(/^\.$|\/$/, '');
  };
  const find = (path: string): Promise<TreeNode | undefined> => tree.find(treeId, inRepository(path));
  return {
    tree: treeId,
    list: async (paths) => {
      const nodes: (readonly [path: string, node: TreeNode | undefined])[] = [];
      for (const path of paths) nodes.push([path, await find(path)]);
      const key = JSON.stringify(nodes.map(([path, node]) => [path, node?.id ?? '']));
      const known = listings.get(key);
      if (known !== undefined) return known;
      const found: ListedFile[] = [];
      const seen = new Set<string>();
      const links: string[] = [];
      const visit = async (path: string, node: TreeNode, layer: number, named: boolean): Promise<void> => {
        if (seen.has(node.path)) return;
        seen.add(node.path);
        if (seen.size > MOST_FILES) throw new FileError(`it has more than ${MOST_FILES} files and folders`);
        if (node.path.length > LONGEST_PATH) throw new FileError('it has folders that are too deep');
        if (node.type === 'file') {
          found.push({ path, layer, id: node.id, ...(named ? { named } : {}) });
          return;
        }
        const entries = [...(await tree.readFolder(node.id)).values()];
        for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
          const { name, type } = entry;
          if (name.startsWith('.') || name === 'node_modules') continue;
          const isRead = EXTENSIONS.has(extname(name).toLowerCase());
          if (!isRead && type !== 'folder' && type !== 'link') continue;
          if (type === 'link') links.push(name);
          const below = await tree.findIn(treeId, node, entry);
          if (below !== undefined && (isRead || below.type === 'folder'))
            await visit(join(path, name), below, layer, false);
        }
      };
      for (const [layer, [path, node]] of nodes.entries())
        if (node !== undefined) await visit(path, node, layer, true);
      if (links.length === 0) listings.set(key, found);
      return found;
    },
    read: async ({ id, ...file }, mostBytes) => ({ ...file, text: await tree.readFile(id, mostBytes) }),
    asHost: async () => {
      const above = new Map<string, ReadonlySet<string>>();
      for (
        let path = inRepository('.');
        ;
        path = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : ''
      ) {
        const node = await tree.find(treeId, path);
        const names = node?.type === 'folder' ? [...(await tree.readFolder(node.id)).keys()] : [];
        above.set(path, new Set(path === '' ? [...names, '.git'] : names));
        if (path === '') break;
      }
      const has = (folder: string, name: string): boolean =>
        above.get(inRepository(folder))?.has(name) === true;
      return {
        ...host,
        exists: (path) => has(join(path, '..'), path.split('/').at(-1) ?? ''),
        findUpwards: (name, from = '.') => {
          for (let folder = from; ; folder = join(folder, '..')) {
            if (has(folder, name)) return folder;
            if (inRepository(folder) === '') return undefined;
          }
        },
        isOfAnother: () => false,
        readWithin: async (_, path) => {
          const node = await find(path);
          if (node?.type !== 'file') throw new FileError('no such file or folder');
          return tree.readFile(node.id, MOST_BYTES);
        },
      };
    },
  };
}

/** Why a file of a commit cannot be read. */
export function unreadableAt(path: string, error: unknown): Problem {
  if (error instanceof MissingObject) throw error;
  return {
    code: 'unreadable-file',
    severity: 'error',
    message: `${path} cannot be read: ${reasonOf(error)}`,
  };
}
