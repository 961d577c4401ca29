import ignore, { type Ignore } from 'ignore';
import { createHash } from 'node:crypto';
import { dirname, join, relative, resolve, sep, basename } from 'node:path';
import { getOrAdd } from '../model/collect.ts';
import type { Foreign } from '../workflow/host.ts';
import { FileError } from '../workflow/system-error.ts';
import { exists, isFolder, linksIn, namesIn, readSystemBytes, readSystemText } from './files.ts';
import {
  findRealPath,
  findTree,
  findUpwards,
  isOfAnother,
  isWritableByAll,
  readLink,
  realPath,
} from './paths.ts';

/**
 * Whether a new file could be committed by accident: it lies in a git work tree, in the folder of a gwconf.yaml, or in the
 * tree of `here`, which may become one, and no .gitignore names it. Rules outside of the work tree, which other
 * machines do not have, do not count.
 */
export function wouldBeTracked(path: string, here = '.'): boolean {
  const real = findRealPath(resolve(path));
  const near = ['.git', 'gwconf.yaml'].flatMap((name) => findUpwards(name, existing(dirname(real))) ?? []);
  const roots = [...near, findTree(here)].filter((root) => real.startsWith(`${root}${sep}`));
  const root = roots.reduce<string | undefined>(
    (top, one) => (top === undefined || one.length < top.length ? one : top),
    undefined,
  );
  return root !== undefined && (isTracked(real) || !isIgnored(real, root));
}

/** The nearest folder that exists, from this one upwards. */
function existing(folder: string): string {
  return exists(folder) ? folder : existing(dirname(folder));
}

/** Whether git ignores what is at a real path in a work tree whose folders above it are not ignored. */
export type IgnoreRules = (path: string, isFolder: boolean) => boolean;

/** The rules of the .gitignore files in a tree, each read once. */
export function ignoreRules(root: string): IgnoreRules {
  const known = new Map<string, Ignore>();
  const rulesOf = (folder: string): Ignore =>
    getOrAdd(known, folder, () => rulesIn(join(folder, '.gitignore')));
  return (path, isFolder) => {
    if (!path.startsWith(`${root}${sep}`)) return false;
    // The last rule counts; those of a deeper folder come later.
    for (let folder = dirname(path); ; folder = dirname(folder)) {
      const within = `${relative(folder, path).split(sep).join('/')}${isFolder ? '/' : ''}`;
      const { ignored, unignored } = rulesOf(folder).test(within);
      if (ignored || unignored) return ignored;
      if (folder === root) return false;
    }
  };
}

/** Whether git ignores a link in this tree, wherever it leads. */
export function isIgnoredLink(path: string, root: string): boolean {
  return readLink(path) !== undefined && isIgnored(join(realPath(dirname(path)), basename(path)), root);
}

/** A file in an ignored folder is ignored, whatever else names it. */
function isIgnored(path: string, root: string): boolean {
  const isNamed = ignoreRules(root);
  const parts = relative(root, path).split(sep);
  return parts.some((_, at) => isNamed(join(root, ...parts.slice(0, at + 1)), at < parts.length - 1));
}

function rulesIn(file: string): Ignore {
  return ignore({ ignorecase: false }).add(exists(file) ? readSystemText(file) : '');
}

/**
 * Whether git tracks a file, or a link on the way to it, so that whoever can commit may have written it. Reads the index
 * instead of running git, which may not be installed, and refuses to work in the folder of another user. Throws a FileError for an index of an unknown format.
 */
export function isTracked(path: string): boolean {
  const tracked = new Map<string, ReadonlyMap<string, string>>();
  for (const one of namesOf(resolve(path))) {
    const root = findUpwards('.git', dirname(one));
    if (root === undefined) continue;
    const names = getOrAdd(
      tracked,
      root,
      () => new Map(readIndex(root).map(({ name, id }) => [fold(name), id])),
    );
    if (names.has(fold(relative(root, one)))) return true;
  }
  return false;
}

/**
 * What in a folder may be from somebody else. Who can commit: the folder itself, or a link on the way to it, is in git; it holds what
 * git has; or one of its files is a link. Who has an account: the folder or a file belongs to another user, or all can write it.
 * Undefined when there is nothing of the kind. Throws a FileError as `isTracked` does.
 */
export function findForeign(folder: string, here?: string, user?: number): Foreign | undefined {
  const path = resolve(folder);
  const whole = new Set([path, findRealPath(path)]);
  const indexes = new Map<string, readonly Entry[]>();
  for (const one of namesOf(path)) {
    const root = findUpwards('.git', existing(dirname(one)));
    if (root === undefined) continue;
    const index = indexes.get(root) ?? readIndex(root);
    indexes.set(root, index);
    const start = fold(relative(root, one));
    const found = index.find(
      ({ name }) => fold(name) === start || (whole.has(one) && fold(name).startsWith(`${start}/`)),
    );
    if (found !== undefined) return { path: join(root, found.name), what: 'in git' };
  }
  if (!isFolder(path)) return undefined;
  const [link] = linksIn(path);
  if (link !== undefined) return { path: join(folder, link), what: 'a link' };
  const all = [folder, ...namesIn(folder, path).map((name) => join(folder, name))];
  const other = all.find((one) => isOfAnother(one, here, user));
  if (other !== undefined) return { path: other, what: 'of another user' };
  const open = all.find(isWritableByAll);
  return open === undefined ? undefined : { path: open, what: 'writable by everybody' };
}

/**
 * The paths of those texts of files that whoever has the repository of a work tree can read there: what stands in git under the real
 * name of the file. None where that cannot be told.
 */
export function listPublished(texts: ReadonlyMap<string, string>, root: string): ReadonlySet<string> {
  try {
    const tree = realPath(root);
    const ids = new Map(readIndex(tree).map(({ name, id }) => [name, id]));
    const isPublished = ([path, text]: readonly [string, string]): boolean => {
      const name = relative(tree, realPath(path)).split(sep).join('/');
      const id = ids.get(name) ?? '';
      // A checkout may write other line ends than git has.
      return [text, text.replaceAll('\r\n', '\n')].some(
        (one) => id === blobId(one, id.length === 64 ? 'sha256' : 'sha1'),
      );
    };
    return new Set([...texts].filter(isPublished).map(([path]) => path));
  } catch {
    return new Set();
  }
}

/** The name of a text in git. */
function blobId(text: string, algorithm: 'sha1' | 'sha256'): string {
  const bytes = Buffer.from(text);
  return createHash(algorithm).update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

/** The file, each folder above it in its work tree, which may be a link, and what the file is without links. */
function* namesOf(path: string): Generator<string> {
  const root = findUpwards('.git', existing(dirname(path))) ?? path;
  for (let one = path; one !== root; one = dirname(one))
    yield join(findRealPath(dirname(one)), basename(one));
  yield findRealPath(path);
}

/** An entry of an index: the path of a file, and the name of its content. */
type Entry = { readonly name: string; readonly id: string };

function readIndex(root: string): readonly Entry[] {
  const folder = gitFolderOf(root);
  // A split index has most of its entries in a shared one.
  const indexes = namesIn(folder, folder).filter(
    (file) => file === 'index' || file.startsWith('sharedindex.'),
  );
  return indexes.flatMap((file) => {
    const bytes = Buffer.from(readSystemBytes(realPath(join(folder, file))));
    const entries = entriesOf(bytes, 20) ?? entriesOf(bytes, 32); // SHA-1 and SHA-256
    if (entries === undefined) throw new FileError(`the format of ${join(folder, file)} is unknown`);
    return entries;
  });
}

/** The folder of a repository; in a submodule and in a linked work tree, `.git` is a file that names it. */
function gitFolderOf(root: string): string {
  const path = realPath(join(root, '.git'));
  if (isFolder(path)) return path;
  const target = /^gitdir: (.+)$/m.exec(readSystemText(path))?.[1] ?? '';
  return resolve(root, target);
}

/** Some file systems do not tell upper and lower case apart, nor the forms of Unicode. */
function fold(path: string): string {
  return path.split(sep).join('/').normalize('NFC').toLowerCase();
}

/** The entries of an index, as `man gitformat-index` describes it; undefined if it has another format. */
function entriesOf(bytes: Buffer, hashBytes: number): readonly Entry[] | undefined {
  const version = bytes.length < HEADER_BYTES ? 0 : bytes.readUInt32BE(4);
  if (bytes.toString('latin1', 0, 4) !== 'DIRC' || version < 2 || version > 4) return undefined;
  const entries: Entry[] = [];
  let at = HEADER_BYTES;
  let former = Buffer.alloc(0);
  for (let left = bytes.readUInt32BE(8); left > 0; left -= 1) {
    const flagsAt = at + STAT_BYTES + hashBytes;
    if (flagsAt + 4 > bytes.length) return undefined;
    const flags = bytes.readUInt16BE(flagsAt);
    const start = flagsAt + ((flags & EXTENDED) === 0 ? 2 : 4);
    const { cut, next } = version === 4 ? readCut(bytes, start) : { cut: former.length, next: start };
    const end = bytes.indexOf(0, next);
    if (end < 0 || cut > former.length) return undefined;
    const name = Buffer.concat([former.subarray(0, former.length - cut), bytes.subarray(next, end)]);
    if ((flags & NAME_LENGTH) !== Math.min(name.length, NAME_LENGTH)) return undefined;
    entries.push({ name: name.toString(), id: bytes.toString('hex', at + STAT_BYTES, flagsAt) });
    former = name;
    at = version === 4 ? end + 1 : at + (Math.floor((end - at) / 8) + 1) * 8; // 1 to 8 zeros fill up to eight bytes
  }
  return entries;
}

const HEADER_BYTES = 12;
const STAT_BYTES = 40;
const EXTENDED = 0x4000;
const NAME_LENGTH = 0xfff;

/** How many bytes at the end of the former path an entry of version 4 leaves out. */
function readCut(bytes: Buffer, from: number): { readonly cut: number; readonly next: number } {
  let byte = bytes[from] ?? 0;
  let cut = byte & 0x7f;
  let next = from + 1;
  for (; (byte & 0x80) !== 0; next += 1) {
    byte = bytes[next] ?? 0;
    cut = (cut + 1) * 128 + (byte & 0x7f);
  }
  return { cut, next };
}
