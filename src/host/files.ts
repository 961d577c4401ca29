import {
  constants,
  createReadStream,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  statSync,
} from 'node:fs';
import { Socket } from 'node:net';
import { basename, dirname } from 'node:path';
import { isatty, ReadStream } from 'node:tty';
import { GrowingBytes } from '../model/growing-bytes.ts';
import { FileError } from '../workflow/system-error.ts';
import { closing, hasCode, inFolder, orUndefined, realPath, resolveInTree, resolveWithin } from './paths.ts';

/**
 * The text of a regular file that lies in one of these folders once links are followed, and not in .git. Throws if it
 * does not, is larger than `mostBytes` or not UTF-8; `reasonOf` says which.
 */
export function readWithin(...file: Parameters<typeof readBytesWithin>): string {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readBytesWithin(...file));
}

/** The same, whatever is in it. */
export function readBytesWithin(folders: readonly string[], path: string, mostBytes: number): Uint8Array {
  const within = folders.map((folder) => realPath(folder));
  return readRegular(resolveWithin(path, within), limitTo(mostBytes));
}

/** The text of a regular file; a link in the tree may not lead out of it. */
export function readText(path: string, tree: string, mostBytes: number): string {
  return decodeText(readRegular(resolveInTree(path, tree), limitTo(mostBytes)));
}

/** The text of whatever a user names: a file, a pipe such as that of `<(…)`, a device. */
export async function readNamedText(path: string, mostBytes: number): Promise<string> {
  return decodeText(await readNamed(path, limitTo(mostBytes)));
}

/** The text of a file of the system, such as one below /proc. */
export function readSystemText(path: string): string {
  return decodeText(readSystemBytes(path));
}

/** The bytes of a file of the system, or of git. */
export function readSystemBytes(path: string): Uint8Array {
  return readRegular(path, limitTo(MOST_TEXT_BYTES));
}

/** Told how many bytes were read so far, or are about to be; throws when they are too many. */
export type Limit = (bytes: number) => void;

/** A longer text does not fit in a string. */
export const MOST_TEXT_BYTES = 500_000_000;

export function limitTo(mostBytes: number): Limit {
  const most = Math.min(mostBytes, MOST_TEXT_BYTES);
  return (bytes) => {
    if (bytes > most) throw new FileError(`it is larger than ${most / 1e6} MB`);
  };
}

function decodeText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
}

const REGULAR = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

/**
 * The bytes of a regular file at a path without links. What it is, is asked of the open file: a path may lead elsewhere by
 * now. A pipe or a device could block the process for good, and opening it does not.
 */
export function readRegular(path: string, limit: Limit): Uint8Array {
  const file = inFolder(dirname(path), (at) => openSync(at(basename(path)), REGULAR));
  return closing(file, () => readOpen(file, limit));
}

function readOpen(file: number, limit: Limit): Uint8Array {
  const stat = fstatSync(file);
  if (!stat.isFile()) throw new FileError(stat.isDirectory() ? 'it is a folder' : 'it is not a file');
  limit(stat.size);
  const chunks: Uint8Array[] = [];
  let total = 0;
  // The size may be wrong: that of a file below /proc is 0, and a file may grow.
  for (let size = stat.size + 1; ; size = CHUNK_BYTES) {
    const chunk = Buffer.allocUnsafe(size);
    const read = readSync(file, chunk, 0, size, null);
    if (read === 0) break;
    limit((total += read));
    chunks.push(chunk.subarray(0, read));
  }
  return chunks.length === 1 ? (chunks[0] ?? new Uint8Array()) : Buffer.concat(chunks);
}

const CHUNK_BYTES = 65_536;

/** The bytes of a file, a pipe or a device. */
export async function readNamed(path: string, limit: Limit): Promise<Uint8Array> {
  // Neither opening nor reading it blocks the process, so that a signal can end it.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const stat = fstatSync(file);
  if (!stat.isFile() && !stat.isDirectory()) return readStream(streamOf(file), limit);
  return closing(file, () => readOpen(file, limit));
}

/** All of a stream, however slowly it comes. */
export async function readStream(stream: AsyncIterable<Uint8Array>, limit: Limit): Promise<Uint8Array> {
  const bytes = new GrowingBytes();
  for await (const chunk of stream) {
    bytes.append(chunk);
    limit(bytes.length);
  }
  return bytes.all();
}

function streamOf(file: number): AsyncIterable<Uint8Array> {
  if (isatty(file)) return new ReadStream(file);
  return fstatSync(file).isFIFO()
    ? new Socket({ fd: file, readable: true, writable: false })
    : createReadStream('', { fd: file });
}

export function exists(path: string): boolean {
  return existsSync(path);
}

/** The names in a folder, sorted; none when there is no such folder. */
export function namesIn(folder: string, tree: string): readonly string[] {
  try {
    return readdirSync(resolveInTree(folder, tree)).sort();
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}

/** The names of the links in a folder, sorted. */
export function linksIn(folder: string): readonly string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.flatMap((entry) => (entry.isSymbolicLink() ? [entry.name] : [])).sort();
}

/** What cannot be looked at is taken for a file; reading it reports why. */
export function isFolder(path: string): boolean {
  return orUndefined(() => statSync(path).isDirectory()) === true;
}
