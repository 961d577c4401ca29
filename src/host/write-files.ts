import * as fs from 'node:fs';
import { Socket } from 'node:net';
import { basename, dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { isatty } from 'node:tty';
import { groupCommit } from '../model/group-commit.ts';
import type { Lines, Text } from '../workflow/host.ts';

/** The calls that decide whether a text is safe on disk; a test hands in its own. */
export type Disk = {
  readonly writeFileSync: (file: number, text: string) => void;
  /** Gives how many bytes were written. */
  readonly writeSync: (file: number, bytes: Uint8Array, from: number) => number;
  readonly renameSync: (from: string, to: string) => void;
  readonly fsyncSync: (file: number) => void;
  readonly fdatasync: (file: number, done: (error: Error | null) => void) => void;
};

/** Whether this is a pipe, perhaps that of another program. */
export function isPipe(path: string): boolean {
  return fs.statSync(path, { throwIfNoEntry: false })?.isFIFO() === true;
}

/** Waits for a reader without blocking the process, so that a signal can end it. One that has seen enough is no error. */
export async function writeToPipe(path: string, text: Text): Promise<void> {
  let file: number | undefined;
  while ((file = openForWriting(path)) === undefined) await wait(WAIT_FOR_READER_MS);
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
function openForWriting(path: string): number | undefined {
  try {
    return fs.openSync(path, fs.constants.O_WRONLY | fs.constants.O_NONBLOCK);
  } catch (error) {
    if (hasCode(error, 'ENXIO')) return undefined;
    throw error;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/**
 * Writes beside the file and renames, so that a reader finds the old text or the new one and nothing between. A link
 * stays a link; what is not a file, such as /dev/stderr or a pipe, is written to in place.
 */
export function writeAtomically(path: string, text: Text): void {
  const there = fs.statSync(path, { throwIfNoEntry: false });
  if (there !== undefined && !there.isFile()) {
    write(path, text);
    return;
  }
  const target = there === undefined ? path : fs.realpathSync(path);
  fs.mkdirSync(dirname(target), { recursive: true });
  const beside = join(dirname(target), `.${basename(target)}.${process.pid}.tmp`);
  try {
    write(beside, text);
    fs.renameSync(beside, target);
  } catch (error) {
    removeQuietly(beside);
    throw error;
  }
}

/** Appends to a file, or to an open one. */
export function append(file: string | number, text: string): void {
  fs.appendFileSync(file, text);
}

/** Whether an open file takes a text at once: a file or a device, but no pipe or terminal. */
export function takesTextAtOnce(file: number): boolean {
  try {
    const stat = fs.fstatSync(file);
    return stat.isFile() || (stat.isCharacterDevice() && !isatty(file));
  } catch {
    return false;
  }
}

/**
 * Writes a file that only the user can read, whole or not at all. It is on disk under its name when this returns, and so
 * are the folders that it needed.
 */
export function writePrivately(path: string, text: Text, disk: Disk = fs): void {
  const folder = resolve(dirname(path));
  const first = fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const beside = join(folder, `.${basename(path)}.${process.pid}.tmp`);
  try {
    write(beside, text, 0o600, disk);
    disk.renameSync(beside, path);
  } catch (error) {
    removeQuietly(beside);
    throw error;
  }
  syncFolder(folder, disk);
  const top = first === undefined ? folder : dirname(resolve(first));
  for (let above = folder; above !== top && above !== dirname(above);)
    syncFolder((above = dirname(above)), disk);
}

/** Makes a file, unless there is one already: of several processes only one gets true. */
export function createFile(path: string, text: string): boolean {
  fs.mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    fs.writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

export function removeFile(path: string): void {
  fs.rmSync(path, { force: true });
}

/** The error that led here matters more than one about the file that is left. */
function removeQuietly(path: string): void {
  try {
    fs.rmSync(path, { force: true });
  } catch {
    return;
  }
}

/** With a disk, the text is flushed to it. */
function write(path: string, text: Text, mode = 0o666, disk?: Disk): void {
  const file = fs.openSync(path, 'w', mode);
  try {
    for (const piece of typeof text === 'string' ? [text] : text) (disk ?? fs).writeFileSync(file, piece);
    disk?.fsyncSync(file);
  } finally {
    fs.closeSync(file);
  }
}

/** Flushes a folder, which makes a new name in it safe. Not every system can, and the file is whole either way. */
function syncFolder(path: string, disk: Disk): void {
  let folder: number;
  try {
    folder = fs.openSync(path, 'r');
  } catch {
    return;
  }
  try {
    disk.fsyncSync(folder);
  } catch {
    return;
  } finally {
    fs.closeSync(folder);
  }
}

/** How long a noted line may stay in memory, in milliseconds, so that thousands share a write. */
const LONGEST = 5;

/** Lines that are added together share one write and one flush. */
export function openLines(path: string, disk: Disk = fs): Lines {
  const file = fs.openSync(path, 'a', 0o600);
  const waiting: string[] = [];
  let failure: Error | undefined;
  const fail = (error: unknown): void => {
    failure ??= error instanceof Error ? error : new Error(String(error));
  };
  let timer: NodeJS.Timeout | undefined;
  const write = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const bytes = Buffer.from(waiting.splice(0).join(''));
    try {
      for (let written = 0; failure === undefined && written < bytes.length;)
        written += disk.writeSync(file, bytes, written);
    } catch (error) {
      fail(error);
    }
  };
  process.once('exit', write); // which may come soon, such as at the second Ctrl-C
  const safe = groupCommit(async () => {
    write();
    const error = await new Promise((resolve) => {
      disk.fdatasync(file, resolve);
    });
    if (error !== null) fail(error);
    if (failure !== undefined) throw failure;
  });
  return {
    add(text) {
      waiting.push(text);
      return safe();
    },
    note(text) {
      waiting.push(text);
      timer ??= setTimeout(write, LONGEST);
    },
    async close() {
      await safe().catch(() => undefined); // each add that failed has rejected
      process.off('exit', write);
      fs.closeSync(file);
    },
  };
}
