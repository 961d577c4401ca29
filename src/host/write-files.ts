import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { Socket } from 'node:net';
import { basename, dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { isatty } from 'node:tty';
import type { Text, WriteOptions } from '../workflow/host.ts';
import { FileError } from '../workflow/system-error.ts';
import {
  closing,
  findRealPath,
  hasCode,
  inFolder,
  inNewFolder,
  isOfSystem,
  orUndefined,
  passesThrough,
  requireOwnLinks,
  resolveInTree,
  resolveNewWithin,
  type At,
} from './paths.ts';

const { O_WRONLY, O_CREAT, O_EXCL, O_APPEND, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
/** Makes a file; neither one that is there nor a link is opened. */
const NEW = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;

/** The calls that decide whether a text is safe on disk; a test hands in its own. */
export type Disk = {
  readonly writeFileSync: (file: number, text: string) => void;
  /** Gives how many bytes were written. */
  readonly writeSync: (file: number, bytes: Uint8Array, from: number) => number;
  readonly renameSync: (from: string, to: string) => void;
  readonly linkSync: (from: string, to: string) => void;
  readonly fsyncSync: (file: number) => void;
  readonly fdatasync: (file: number, done: (error: Error | null) => void) => void;
};

/** Waits for a reader without blocking the process, so that a signal can end it. One that has seen enough is no error. */
async function writeToPipe(path: string, text: Text): Promise<void> {
  let file: number | undefined;
  while ((file = openPipe(path)) === undefined) await wait(WAIT_FOR_READER_MS);
  try {
    await pipeline(
      Readable.from(typeof text === 'string' ? [text] : text),
      new Socket({ fd: file, readable: false, writable: true }),
    );
  } catch (error) {
    if (!hasCode(error, 'EPIPE')) throw error;
  }
}

const WAIT_FOR_READER_MS = 20;

/** Undefined for a pipe that has no reader yet. */
function openPipe(path: string): number | undefined {
  try {
    return openThere(path, O_NONBLOCK);
  } catch (error) {
    if (hasCode(error, 'ENXIO')) return undefined;
    throw error;
  }
}

/** Opens what is no file, such as a pipe. A path such as /dev/stdout is a link; no other may be one by now, or a file. */
function openThere(path: string, flags = 0): number {
  if (isOfSystem(path)) return fs.openSync(path, O_WRONLY | flags);
  const file = inFolder(dirname(path), (at) =>
    fs.openSync(at(basename(path)), O_WRONLY | O_NOFOLLOW | flags),
  );
  if (!fs.fstatSync(file).isFile()) return file;
  fs.closeSync(file);
  throw new FileError('a file took its place while gwconf ran');
}

/**
 * Writes beside the file and renames, so that a reader finds the old text or the new one and nothing between. A link
 * stays a link, and a file keeps its mode; what is not a file, such as /dev/stderr or a pipe, is written to in place.
 * `tree` is the folder whose links may not lead out of it; `Host` describes the options.
 */
export async function writeFile(
  path: string,
  text: Text,
  tree: string,
  options: WriteOptions = {},
): Promise<void> {
  const { target, there } = findTarget(path, tree, options);
  if (there?.isFIFO() === true) return writeToPipe(target, text);
  const open = there?.isFile() === true ? descriptorOf(target) : undefined;
  if (open !== undefined) writePieces(open, text);
  else if (there !== undefined && !there.isFile())
    closing(openThere(target), (file) => writePieces(file, text));
  else {
    const { isShared, isPrivate } = options;
    const mode = isPrivate === true ? 0o600 : there === undefined ? undefined : there.mode & 0o777;
    inNewFolder(dirname(target), 0o777, (at) => {
      writeBeside(at, basename(target), text, { mode, isShared, isFlushed: isPrivate });
    });
  }
}

type Target = { readonly target: string; readonly there: fs.Stats | undefined };

function findTarget(path: string, tree: string, { root }: WriteOptions): Target {
  if (root === undefined && !passesThrough(path, tree)) {
    requireOwnLinks(path);
    const there = fs.statSync(path, { throwIfNoEntry: false });
    return { target: isOfSystem(path) ? path : findRealPath(path), there };
  }
  const target = root === undefined ? resolveInTree(path, tree) : resolveNewWithin(path, root);
  const there = fs.lstatSync(target, { throwIfNoEntry: false });
  if (there?.isSymbolicLink() === true)
    throw new FileError('it is a link that leads nowhere', 'remove the link');
  return { target, there };
}

/** The open file of a path such as /dev/stdout. If it is a file, what else goes there must neither be lost nor overwritten. */
function descriptorOf(path: string): number | undefined {
  const [, name, number] = /^\/(?:dev\/(stdout|stderr)|(?:dev|proc\/self)\/fd\/(\d+))$/.exec(path) ?? [];
  if (name !== undefined) return name === 'stdout' ? 1 : 2;
  return number === undefined ? undefined : Number(number);
}

/** Appends to a file; to a pipe as `writeFile` does. */
export async function appendFile(path: string, text: string, tree: string): Promise<void> {
  const { target, there } = findTarget(path, tree, {});
  if (there?.isFIFO() === true) return writeToPipe(target, text);
  const file = isOfSystem(target) ? fs.openSync(target, 'a') : openToAppend(target, 0o666);
  closing(file, () => append(file, text));
}

/** Makes the file, if there is none; a link is not opened, and no pipe waited for. */
export function openToAppend(path: string, mode: number): number {
  const flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK;
  return inFolder(dirname(path), (at) => fs.openSync(at(basename(path)), flags, mode));
}

/** Appends to an open file. */
export function append(file: number, text: string): void {
  fs.appendFileSync(file, text);
}

/** Whether an open file takes a text at once: a file or a device, but no pipe or terminal. */
export function takesTextAtOnce(file: number): boolean {
  const stat = orUndefined(() => fs.fstatSync(file));
  return stat !== undefined && (stat.isFile() || (stat.isCharacterDevice() && !isatty(file)));
}

/**
 * Opens a pipe once more, on Linux, for writes that never wait; undefined for anything else. The streams of Node.js, which could write to
 * it, take a tenth of a short command to load.
 */
export function openPipeAgain(file: number): number | undefined {
  return orUndefined(() =>
    fs.fstatSync(file).isFIFO() ? fs.openSync(`/proc/self/fd/${file}`, O_WRONLY | O_NONBLOCK) : undefined,
  );
}

/** Writes what a pipe takes without waiting, and returns the rest. */
export function writeAsTaken(pipe: number, text: string): Uint8Array {
  const bytes = Buffer.from(text);
  let written = 0;
  try {
    while (written < bytes.length) written += fs.writeSync(pipe, bytes, written);
  } catch (error) {
    if (!hasCode(error, 'EAGAIN')) throw error;
  }
  return bytes.subarray(written);
}

/** Whether an open file is a terminal. Files and pipes are not asked, since that takes a part of the start. */
export function isATerminal(file: number): boolean {
  return orUndefined(() => fs.fstatSync(file).isCharacterDevice()) === true && isatty(file);
}

/**
 * Writes a file that only the user can read, whole or not at all. It is on disk under its name when this returns, and so
 * are the folders that it needed.
 */
export function writePrivately(path: string, text: Text, tree: string, disk: Disk = fs): void {
  const folder = resolveInTree(dirname(path), tree);
  const known = findKnown(folder);
  inNewFolder(folder, 0o700, (at) => {
    writeBeside(at, basename(path), text, { mode: 0o600, disk, isFlushed: true });
  });
  syncFolder(folder, disk);
  for (let above = folder; above !== known;) syncFolder((above = dirname(above)), disk);
}

/** The nearest folder on the way to this one that exists. */
function findKnown(folder: string): string {
  return fs.existsSync(folder) ? folder : findKnown(dirname(folder));
}

/**
 * Makes a file, unless there is one already: of several processes only one gets true. One that cannot be written is removed
 * again.
 */
export function createFile(
  path: string,
  text: string,
  tree: string,
  { root }: Pick<WriteOptions, 'root'> = {},
  disk: Disk = fs,
): boolean {
  const folder =
    root === undefined ? resolveInTree(dirname(path), tree) : dirname(resolveNewWithin(path, root));
  return inNewFolder(folder, 0o700, (at) => {
    const [target, beside] = [at(basename(path)), at(temporaryName())];
    try {
      closing(fs.openSync(beside, NEW, 0o600), (file) => writePieces(file, text, disk));
      // A name for what is written already: a process that is killed leaves none that is empty.
      disk.linkSync(beside, target);
      return true;
    } catch (error) {
      if (hasCode(error, 'EEXIST')) return false;
      if (!NO_LINKS.some((code) => hasCode(error, code))) throw error;
      return createInPlace(target, text, disk);
    } finally {
      removeQuietly(beside);
    }
  });
}

/** A disk that has no second names for files. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'ENOSYS'];

function createInPlace(target: string, text: string, disk: Disk): boolean {
  let file: number;
  try {
    file = fs.openSync(target, NEW, 0o600);
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
  try {
    writePieces(file, text, disk);
  } catch (error) {
    removeQuietly(target);
    throw error;
  } finally {
    fs.closeSync(file);
  }
  return true;
}

export function removeFile(path: string, tree: string): void {
  const folder = resolveInTree(dirname(path), tree);
  if (fs.existsSync(folder)) inFolder(folder, (at) => fs.rmSync(at(basename(path)), { force: true }));
}

/** The error that led here matters more than one about the file that is left. */
function removeQuietly(path: string): void {
  orUndefined(() => fs.rmSync(path, { force: true }));
}

type Manner = {
  /** Undefined for a new file. */
  readonly mode: number | undefined;
  /** Whether the mode of a new file is that of the umask. Default: it is for the user only. */
  readonly isShared?: boolean | undefined;
  readonly isFlushed?: boolean | undefined;
  readonly disk?: Disk;
};

/** One that cannot be guessed. */
function temporaryName(): string {
  return `.gwconf-${randomBytes(12).toString('hex')}.tmp`;
}

/** Writes a new file beside another, and renames it. */
function writeBeside(
  at: At,
  name: string,
  text: Text,
  { mode, isShared, isFlushed, disk = fs }: Manner,
): void {
  const beside = at(temporaryName());
  const isOfUmask = mode === undefined && isShared === true;
  try {
    closing(fs.openSync(beside, NEW, isOfUmask ? 0o666 : 0o600), (file) => {
      if (mode !== undefined) fs.fchmodSync(file, mode);
      writePieces(file, text, disk);
      if (isFlushed === true) disk.fsyncSync(file);
    });
    disk.renameSync(beside, at(name));
  } catch (error) {
    removeQuietly(beside);
    throw error;
  }
}

function writePieces(file: number, text: Text, disk: Disk = fs): void {
  for (const piece of typeof text === 'string' ? [text] : text) disk.writeFileSync(file, piece);
}

/** Flushes a folder, which makes a new name in it safe. Not every system can, and the file is whole either way. */
function syncFolder(path: string, disk: Disk): void {
  orUndefined(() => closing(fs.openSync(path, 'r'), (folder) => disk.fsyncSync(folder)));
}
