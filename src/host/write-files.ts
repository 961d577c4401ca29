import {
  appendFileSync,
  closeSync,
  fdatasync,
  fsyncSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { groupCommit } from '../model/group-commit.ts';
import type { Lines, Text } from '../workflow/host.ts';

/**
 * Writes beside the file and renames, so that a reader finds the old text or the new one and nothing between. A link
 * stays one; what is no file, such as /dev/stderr or a pipe, is written to and stays what it is.
 */
export function writeAtomically(path: string, text: Text): void {
  const there = statSync(path, { throwIfNoEntry: false });
  if (there !== undefined && !there.isFile()) {
    write(path, text);
    return;
  }
  const target = there === undefined ? path : realpathSync(path);
  mkdirSync(dirname(target), { recursive: true });
  const beside = join(dirname(target), `.${basename(target)}.${process.pid}.tmp`);
  try {
    write(beside, text);
    renameSync(beside, target);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
}

export function append(path: string, text: string): void {
  appendFileSync(path, text);
}

/**
 * Writes a file that is nobody else's to read, whole or not at all. It is on disk, under its name, when this is over; so
 * are the folders that it needed.
 */
export function writePrivately(path: string, text: Text): void {
  const folder = resolve(dirname(path));
  const first = mkdirSync(folder, { recursive: true, mode: 0o700 });
  const beside = join(folder, `.${basename(path)}.${process.pid}.tmp`);
  try {
    write(beside, text, { mode: 0o600, sync: true });
    renameSync(beside, path);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
  syncFolder(folder);
  const top = first === undefined ? folder : dirname(resolve(first));
  for (let above = folder; above !== top && above !== dirname(above);) syncFolder((above = dirname(above)));
}

function write(path: string, text: Text, { mode = 0o666, sync = false } = {}): void {
  const file = openSync(path, 'w', mode);
  try {
    for (const piece of typeof text === 'string' ? [text] : text) writeFileSync(file, piece);
    if (sync) fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** A new name is safe when its folder is. Where a folder cannot be opened, the system sees to it by itself. */
function syncFolder(path: string): void {
  let folder: number;
  try {
    folder = openSync(path, 'r');
  } catch {
    return;
  }
  try {
    fsyncSync(folder);
  } catch {
    // not every file system can do this, and the file is whole either way
  } finally {
    closeSync(folder);
  }
}

const datasync = promisify(fdatasync);

/** How long a line that nobody waits for may stay with us, in milliseconds: not each of thousands is a write of its own. */
const LONGEST = 5;

/** Lines that come together are one write, and share one wait for the disk. */
export function openLines(path: string): Lines {
  const file = openSync(path, 'a', 0o600);
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
        written += writeSync(file, bytes, written);
    } catch (error) {
      fail(error);
    }
  };
  process.once('exit', write); // however soon that is, such as at the second Ctrl-C
  const safe = groupCommit(async () => {
    write();
    await datasync(file).catch(fail);
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
      await safe().catch(() => undefined); // whoever added something was told
      process.off('exit', write);
      closeSync(file);
    },
  };
}
