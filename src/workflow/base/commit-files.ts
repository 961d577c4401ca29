import { isAbsolute, join, posix, relative, sep } from 'node:path';
import { present } from '../../model/collect.ts';
import type { SourceFile } from '../../model/problem.ts';
import { TEST_FILE_ENDING } from '../../model/test-case.ts';
import { hasEnding, isPassedOver, isYamlOrJson } from '../../model/text/file-ending.ts';
import type { Host } from '../host.ts';
import { FileError } from '../system-error.ts';
import type { Place } from './find-base.ts';
import type { GitTree, TreeNode } from './git-tree.ts';

/** A file of a commit that is to be read, with the path that the program would give it. */
export type ListedFile = Omit<SourceFile, 'text'> & {
  readonly id: string;
  /** Why it cannot be read. */
  readonly fault?: FileError;
};

/** The files of a commit, by the paths of the program that calls. */
export type CommitFiles = {
  /** The id of its root folder. */
  readonly tree: string;
  /**
   * The YAML and JSON files that paths name, as `Host.readSources` finds them in a work tree. What is not there is left out. A submodule
   * is a file that cannot be read, but for tests, which are looked for in all folders; so is a link out of the repository.
   */
  readonly list: (paths: readonly string[], ending?: string) => Promise<readonly ListedFile[]>;
  readonly read: (file: ListedFile, mostBytes: number) => Promise<SourceFile>;
  /** What its host was asked to read and could not, with why. */
  readonly unread: Map<string, string>;
  /** A host on which this commit is checked out. It has what lies in a folder (default: here) and above, and what `list` finds. */
  readonly asHost: (folder?: string) => Promise<Host>;
};

/** No project file is larger. */
const MOST_BYTES = 10_000_000;
/** A commit of a few kilobytes can have any number of files and folders, because equal folders are one object. */
const MOST_FILES = 100_000;
const IN_SUBMODULE = 'it is a submodule, whose files are in another repository';
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
    const own = (isAbsolute(path) ? relative(root, path) : path).replaceAll(sep, '/');
    const inside = isAbsolute(path) ? own : posix.join(prefix, own);
    if (inside === '..' || inside.startsWith('../'))
      throw new FileError(`${path} lies outside of the repository`);
    return inside.replace(/^\.$|\/$/, '');
  };
  const find = async (path: string): Promise<TreeNode | undefined> => tree.find(treeId, inRepository(path));
  const files: CommitFiles = {
    tree: treeId,
    unread: new Map(),
    list: async (paths, ending = '') => {
      const isForTests = ending === TEST_FILE_ENDING;
      const nodes: NamedNode[] = [];
      for (const path of paths) nodes.push([path, await orFault(find(path))]);
      const idOf = (node: Found): string => (node === undefined || node instanceof FileError ? '' : node.id);
      const key = JSON.stringify([isForTests, ...nodes.map(([path, node]) => [path, idOf(node)])]);
      const known = listings.get(key);
      if (known !== undefined) return known;
      const { found, hasLinks } = await listBelow(tree, treeId, nodes, isForTests);
      if (!hasLinks) listings.set(key, found);
      return found;
    },
    read: async ({ id, fault, ...file }, mostBytes) => {
      if (fault !== undefined) throw fault;
      return { ...file, text: await tree.readFile(id, mostBytes) };
    },
    asHost: async (from = '.') => {
      const above = await namesAbove(tree, treeId, inRepository(from));
      const has = (folder: string, name: string): boolean =>
        above.get(inRepository(folder))?.has(name) === true;
      const fileAt = async (path: string): Promise<TreeNode> => {
        const node = await find(path);
        if (node?.type !== 'file') throw new FileError('no such file or folder');
        return node;
      };
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
        // Nothing of a commit is left out, whatever is checked out.
        openGit: () => Promise.reject(new Error('a commit is no work tree')),
        readWithin: async (_, path) => tree.readFile((await fileAt(path)).id, MOST_BYTES),
        readBytesWithin: async (_, path, mostBytes) => tree.readBytes((await fileAt(path)).id, mostBytes),
        readSources: async (paths, { ending = '' } = {}) => {
          const value: SourceFile[] = [];
          const listed = await orFault(files.list(paths, ending));
          if (listed instanceof FileError) for (const path of paths) files.unread.set(path, listed.message);
          for (const file of listed instanceof FileError ? [] : listed) {
            // What is below a link of another name is not known.
            if (!hasEnding(file.path, ending) && (file.fault === undefined || isYamlOrJson(file.path)))
              continue;
            const read = await orFault(files.read(file, host.maxInputBytes));
            if (read instanceof FileError) files.unread.set(file.path, read.message);
            else value.push(read);
          }
          return { value, problems: [] };
        },
      };
    },
  };
  return files;
}

/** What a path leads to, or why nobody knows. */
type Found = TreeNode | FileError | undefined;

/** A path that was named, with what it leads to. */
type NamedNode = readonly [path: string, node: Found];

async function orFault<T>(found: Promise<T>): Promise<T | FileError> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof FileError) return error;
    throw error;
  }
}

/** The files that are named, and those to read below folders that are; a link may lead elsewhere in another commit. */
async function listBelow(
  tree: GitTree,
  treeId: string,
  named: readonly NamedNode[],
  isForTests: boolean,
): Promise<{ readonly found: readonly ListedFile[]; readonly hasLinks: boolean }> {
  const found: ListedFile[] = [];
  const seen = new Set<string>();
  let hasLinks = false;
  const visit = async (path: string, node: Found, layer: number, isNamed: boolean): Promise<void> => {
    if (node === undefined) return;
    if (node instanceof FileError) {
      // Another tree may have something there.
      hasLinks = true;
      found.push({ path, layer, id: '', fault: node });
      return;
    }
    if (seen.has(node.path)) return;
    seen.add(node.path);
    if (seen.size > MOST_FILES) throw new FileError(`it has more than ${MOST_FILES} files and folders`);
    if (node.path.length > LONGEST_PATH) throw new FileError('it has folders that are too deep');
    if (node.type === 'submodule' && isForTests) return;
    if (node.type !== 'folder') {
      const fault = node.type === 'file' ? undefined : new FileError(IN_SUBMODULE);
      found.push({ path, layer, id: node.id, ...present({ fault, named: isNamed || undefined }) });
      return;
    }
    const entries = [...(await tree.readFolder(node.id)).values()];
    for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
      const { name, type } = entry;
      if (isPassedOver(name)) continue;
      const isRead = isYamlOrJson(name);
      if (!isRead && type === 'file') continue;
      hasLinks ||= type === 'link';
      const below = await orFault(tree.findIn(treeId, node, entry));
      if (isRead || below instanceof FileError || below?.type !== 'file')
        await visit(join(path, name), below, layer, false);
    }
  };
  for (const [layer, [path, node]] of named.entries()) await visit(path, node, layer, true);
  return { found, hasLinks };
}

/** What lies in a folder and in each above it, by their paths in the repository, of which a checkout has .git at the top. */
async function namesAbove(
  tree: GitTree,
  treeId: string,
  folder: string,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const above = new Map<string, ReadonlySet<string>>();
  for (let path = folder; ; path = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '') {
    const node = await tree.find(treeId, path);
    const names = node?.type === 'folder' ? [...(await tree.readFolder(node.id)).keys()] : [];
    above.set(path, new Set(path === '' ? [...names, '.git'] : names));
    if (path === '') return above;
  }
}
