import { isAbsolute, join, posix, relative } from 'node:path';
import type { Problem, SourceFile } from '../../model/problem.ts';
import { TEST_FILE_ENDING } from '../../model/test-case.ts';
import { hasEnding, isPassedOver, isYamlOrJson } from '../../model/text/file-ending.ts';
import type { Host, Git } from '../host.ts';
import { FileError, unreadable } from '../system-error.ts';
import type { Place } from './find-base.ts';

/** A file of a commit that is to be read, with the path that the program would give it. */
export type ListedFile = Omit<SourceFile, 'text'> & { readonly id: string; readonly isSubmodule?: true };

/** The files of a commit, by the paths of the program that calls. */
export type CommitFiles = {
  /** The id of its root folder. */
  readonly tree: string;
  /**
   * The YAML and JSON files that paths name, as `Host.readSources` finds them in a work tree. What is not there is left out. A submodule
   * is a file that cannot be read, but for tests, which are looked for in all folders.
   */
  readonly list: (paths: readonly string[], ending?: string) => Promise<readonly ListedFile[]>;
  readonly read: (file: ListedFile, mostBytes: number) => Promise<SourceFile>;
  /** The submodules among what its host was asked to read. */
  readonly unread: Set<string>;
  /** A host on which this commit is checked out. It has what lies in a folder (default: here) and above, and what `list` finds. */
  readonly asHost: (folder?: string) => Promise<Host>;
};

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
  const files: CommitFiles = {
    tree: treeId,
    unread: new Set(),
    list: async (paths, ending = '') => {
      const isForTests = ending === TEST_FILE_ENDING;
      const nodes: (readonly [path: string, node: TreeNode | undefined])[] = [];
      for (const path of paths) nodes.push([path, await find(path)]);
      const key = JSON.stringify([isForTests, ...nodes.map(([path, node]) => [path, node?.id ?? ''])]);
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
        if (node.type === 'submodule' && isForTests) return;
        if (node.type !== 'folder') {
          const about = node.type === 'file' ? {} : { isSubmodule: true as const };
          found.push({ path, layer, id: node.id, ...about, ...(named ? { named } : {}) });
          return;
        }
        const entries = [...(await tree.readFolder(node.id)).values()];
        for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
          const { name, type } = entry;
          if (isPassedOver(name)) continue;
          const isRead = isYamlOrJson(name);
          if (!isRead && type === 'file') continue;
          if (type === 'link') links.push(name);
          const below = await tree.findIn(treeId, node, entry);
          if (below !== undefined && (isRead || below.type !== 'file'))
            await visit(join(path, name), below, layer, false);
        }
      };
      for (const [layer, [path, node]] of nodes.entries())
        if (node !== undefined) await visit(path, node, layer, true);
      if (links.length === 0) listings.set(key, found);
      return found;
    },
    read: async ({ id, isSubmodule, ...file }, mostBytes) => {
      if (isSubmodule === true)
        throw new FileError('it is a submodule, whose files are in another repository');
      return { ...file, text: await tree.readFile(id, mostBytes) };
    },
    asHost: async (from = '.') => {
      const above = new Map<string, ReadonlySet<string>>();
      for (
        let path = inRepository(from);
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
        readWithin: async (_, path) => tree.readFile((await fileAt(path)).id, MOST_BYTES),
        readBytesWithin: async (_, path, mostBytes) => tree.readBytes((await fileAt(path)).id, mostBytes),
        readSources: async (paths, { ending = '' } = {}) => {
          const listed = (await files.list(paths, ending)).filter((file) => hasEnding(file.path, ending));
          const own = listed.filter(({ isSubmodule }) => isSubmodule !== true);
          for (const one of listed) if (!own.includes(one)) files.unread.add(one.path);
          const read = own.map((file) => files.read(file, host.maxInputBytes));
          return { value: await Promise.all(read), problems: [] };
        },
      };
    },
  };
  return files;
}

/** Why a file of a commit cannot be read. */
export function unreadableAt(path: string, error: unknown): Problem {
  if (error instanceof MissingObject) throw error;
  return unreadable(path, error);
}

/** What is read of a commit; undefined where it cannot be read. */
export async function ifReadable<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof MissingObject || error instanceof FileError) return undefined;
    throw error;
  }
}

type TreeEntry = {
  readonly name: string;
  readonly type: 'file' | 'folder' | 'link' | 'submodule';
  readonly id: string;
};

/** What a path leads to, once links are followed; the path is that without links, from the root of the repository. */
type TreeNode = {
  readonly path: string;
  readonly type: 'file' | 'folder' | 'submodule';
  readonly id: string;
};

/** An object that the clone does not have. */
export class MissingObject extends Error {}

/** No folder or commit is larger. */
const MOST_TREE_BYTES = 50_000_000;
const MOST_LINKS = 40;
const MOST_LINK_BYTES = 4096;

/** The commits, folders and files of a repository. Folders that were read are kept: most commits share most of them. */
export class GitTree {
  readonly #git: Git;
  readonly #folders = new Map<string, ReadonlyMap<string, TreeEntry>>();

  constructor(git: Git) {
    this.#git = git;
  }

  async readCommit(id: string): Promise<{ readonly tree: string; readonly parent: string | undefined }> {
    const [head = ''] = new TextDecoder()
      .decode(await this.#read(id, 'commit', MOST_TREE_BYTES))
      .split('\n\n', 1);
    const [, tree = ''] = /^tree ([0-9a-f]+)$/m.exec(head) ?? [];
    return { tree, parent: /^parent ([0-9a-f]+)$/m.exec(head)?.[1] };
  }

  async readFolder(id: string): Promise<ReadonlyMap<string, TreeEntry>> {
    const known = this.#folders.get(id);
    if (known !== undefined) return known;
    const entries = parseTree(await this.#read(id, 'tree', MOST_TREE_BYTES), id.length / 2);
    this.#folders.set(id, entries);
    return entries;
  }

  /** Throws a FileError for a file that is too large or not UTF-8. */
  async readFile(id: string, mostBytes: number): Promise<string> {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      await this.readBytes(id, mostBytes),
    );
  }

  readBytes(id: string, mostBytes: number): Promise<Uint8Array> {
    return this.#read(id, 'blob', mostBytes);
  }

  /** What is at a path, or the submodule that it is in; undefined if nothing is. Throws a FileError for a link out of the repository. */
  async find(tree: string, path: string, links = 0): Promise<TreeNode | undefined> {
    let node: TreeNode = { path: '', type: 'folder', id: tree };
    const names = path.split('/').filter((name) => name !== '' && name !== '.');
    for (const [at, name] of names.entries()) {
      const entry = node.type === 'folder' ? (await this.readFolder(node.id)).get(name) : undefined;
      if (entry === undefined) return undefined;
      const own = joinPath(node.path, name);
      if (entry.type === 'submodule') return { path: own, type: entry.type, id: entry.id };
      if (entry.type !== 'link') {
        node = { path: own, type: entry.type, id: entry.id };
        continue;
      }
      if (links >= MOST_LINKS) throw new FileError('its links form a loop');
      const target = followLink(own, await this.readFile(entry.id, MOST_LINK_BYTES));
      return this.find(tree, [target, ...names.slice(at + 1)].join('/'), links + 1);
    }
    return node;
  }

  /** The same for an entry of a folder, without the way to it. */
  async findIn(tree: string, folder: TreeNode, { name, type, id }: TreeEntry): Promise<TreeNode | undefined> {
    const path = joinPath(folder.path, name);
    return type === 'link' ? this.find(tree, path) : { path, type, id };
  }

  async #read(id: string, type: string, mostBytes: number): Promise<Uint8Array> {
    const found = await this.#git.read(id, mostBytes);
    if (!('bytes' in found)) {
      if (found.type === 'too-large') throw new FileError(`it is larger than ${mostBytes / 1e6} MB`);
      throw new MissingObject(`git has no object ${id}`);
    }
    if (found.type !== type) throw new FileError(`git has a ${found.type} where a ${type} is expected`);
    return found.bytes;
  }
}

function joinPath(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/** Where a link leads, from the root of the repository. */
function followLink(from: string, target: string): string {
  const names = from.split('/').slice(0, -1);
  if (target.startsWith('/')) throw new FileError('it is a link out of the project');
  for (const name of target.split('/')) {
    if (name === '' || name === '.') continue;
    if (name !== '..') names.push(name);
    else if (names.pop() === undefined) throw new FileError('it is a link out of the project');
  }
  return names.join('/');
}

/** By what git takes of a mode: trees of older programs have files of 100664 and others. What it does not know is a submodule to it. */
const TYPES: Readonly<Record<number, TreeEntry['type']>> = {
  0o040000: 'folder',
  0o100000: 'file',
  0o120000: 'link',
};

/** `<mode> <name>\0<id>` for each entry. Names that no checkout would make are left out. */
function parseTree(bytes: Uint8Array, idBytes: number): ReadonlyMap<string, TreeEntry> {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const entries = new Map<string, TreeEntry>();
  for (let at = 0; at < data.length;) {
    const space = data.indexOf(32, at);
    const end = data.indexOf(0, space);
    if (space < 0 || end < 0) break;
    const name = data.toString('utf8', space + 1, end);
    const id = data.toString('hex', end + 1, end + 1 + idBytes);
    const type = TYPES[Number.parseInt(data.toString('latin1', at, space), 8) & 0o170000] ?? 'submodule';
    if (name.includes('/')) throw new FileError(`it has a name with a slash: ${name}`); // a checkout has it as a path
    if (!/^\.{0,2}$/.test(name)) entries.set(name, { name, type, id });
    at = end + 1 + idBytes;
  }
  return entries;
}
