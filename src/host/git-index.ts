import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { FileError } from '../workflow/system-error.ts';
import { isFolder, namesIn, readSystemBytes, readSystemText } from './files.ts';
import { findRealPath, findUpwards, realPath } from './paths.ts';

/**
 * Whether git tracks a file, or a link on the way to it, so that whoever can commit may have written it. Reads the index
 * instead of running git, which may not be installed, and refuses to work in the folder of another user. Throws a FileError for an index of an unknown format.
 */
export function isTracked(path: string): boolean {
  const tracked = new Map<string, ReadonlySet<string>>();
  for (const one of namesOf(resolve(path))) {
    const root = findUpwards('.git', dirname(one));
    if (root === undefined) continue;
    const names = tracked.get(root) ?? readTracked(root);
    tracked.set(root, names);
    if (names.has(fold(relative(root, one)))) return true;
  }
  return false;
}

/** The file, each folder above it in its work tree, which may be a link, and what the file is without links. */
function* namesOf(path: string): Generator<string> {
  const root = findUpwards('.git', dirname(path)) ?? path;
  for (let one = path; one !== root; one = dirname(one))
    yield join(findRealPath(dirname(one)), basename(one));
  yield findRealPath(path);
}

function readTracked(root: string): ReadonlySet<string> {
  const folder = gitFolderOf(root);
  // A split index has most of its entries in a shared one.
  const indexes = namesIn(folder, folder).filter(
    (file) => file === 'index' || file.startsWith('sharedindex.'),
  );
  return new Set(
    indexes.flatMap((file) => {
      const bytes = Buffer.from(readSystemBytes(realPath(join(folder, file))));
      const names = namesInIndex(bytes, 20) ?? namesInIndex(bytes, 32); // SHA-1 and SHA-256
      if (names === undefined) throw new FileError(`the format of ${join(folder, file)} is unknown`);
      return names.map(fold);
    }),
  );
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

/** The paths in an index, as `man gitformat-index` describes it; undefined if it has another format. */
function namesInIndex(bytes: Buffer, hashBytes: number): readonly string[] | undefined {
  const version = bytes.length < HEADER_BYTES ? 0 : bytes.readUInt32BE(4);
  if (bytes.toString('latin1', 0, 4) !== 'DIRC' || version < 2 || version > 4) return undefined;
  const names: string[] = [];
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
    names.push(name.toString());
    former = name;
    at = version === 4 ? end + 1 : at + (Math.floor((end - at) / 8) + 1) * 8; // 1 to 8 zeros fill up to eight bytes
  }
  return names;
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
