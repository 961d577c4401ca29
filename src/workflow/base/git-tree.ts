import type { Git } from '../host.ts';
import { FileError, reasonOf } from '../system-error.ts';

/** An object that the clone does not have. */
export class MissingObject extends Error {}

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
export type TreeNode = {
  readonly path: string;
  readonly type: 'file' | 'folder' | 'submodule';
  readonly id: string;
};

/** No folder or commit is larger. */
const MOST_TREE_BYTES = 50_000_000;
const LINK_OUT = 'it is a link out of the project';
const MOST_LINKS = 40;
const MOST_LINK_BYTES = 4096;

/** The commits, folders and files of a repository. Folders that were read are kept: most commits share most of them. */
export class GitTree {
  readonly #git: Git;
  readonly #root: string;
  readonly #folders = new Map<string, ReadonlyMap<string, TreeEntry>>();

  /** `root` is the top of the work tree, into which links may lead by their whole paths. */
  constructor(git: Git, root: string) {
    this.#git = git;
    this.#root = root;
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
    const bytes = await this.readBytes(id, mostBytes);
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch (error) {
      throw new FileError(reasonOf(error));
    }
  }

  readBytes(id: string, mostBytes: number): Promise<Uint8Array> {
    return this.#read(id, 'blob', mostBytes);
  }

  /** What is at a path, or the submodule that it is in; undefined if nothing is. Throws a FileError for a link out of the repository. */
  async find(tree: string, path: string, links = 0): Promise<TreeNode | undefined> {
    let node: TreeNode = { path: '', type: 'folder', id: tree };
    const above: TreeNode[] = [];
    const names = path.split('/').filter((name) => name !== '' && name !== '.');
    for (const [at, name] of names.entries()) {
      if (node.type !== 'folder') return undefined;
      if (name === '..') {
        const outer = above.pop();
        if (outer === undefined) throw new FileError(LINK_OUT);
        node = outer;
        continue;
      }
      const entry = (await this.readFolder(node.id)).get(name);
      if (entry === undefined) return undefined;
      const own = joinPath(node.path, name);
      if (entry.type === 'submodule') return { path: own, type: entry.type, id: entry.id };
      if (entry.type !== 'link') {
        above.push(node);
        node = { path: own, type: entry.type, id: entry.id };
        continue;
      }
      if (links >= MOST_LINKS) throw new FileError('its links form a loop');
      const target = await this.#readLink(entry.id, node.path);
      return this.find(tree, [target, ...names.slice(at + 1)].join('/'), links + 1);
    }
    return node;
  }

  /** Where a link in a folder leads, from the root of the repository; with its `..`, which are taken once the links before them are followed. */
  async #readLink(id: string, folder: string): Promise<string> {
    const [target = ''] = (await this.readFile(id, MOST_LINK_BYTES)).split('\0', 1); // what follows, no system has
    if (!target.startsWith('/')) return `${folder}/${target}`;
    if (!`${target}/`.startsWith(`${this.#root}/`)) throw new FileError(LINK_OUT);
    return target.slice(this.#root.length);
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
