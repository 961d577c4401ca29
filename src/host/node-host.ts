import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { hostname } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { setTimeout } from 'node:timers/promises';
import { deriveKey } from '../workflow/digests.ts';
import type { Clock } from '../apply/events.ts';
import { present } from '../model/collect.ts';
import type { Host, Log, ProcessId } from '../workflow/host.ts';
import {
  exists,
  namesIn,
  readNamedText,
  readSystemText,
  readText,
  readBytesWithin,
  readWithin,
} from './files.ts';
import { createFolder, filesWithin, walkFiles, watchFolders } from './folders.ts';
import { findForeign, listPublished, wouldBeTracked } from './git-ignore.ts';
import { findTree, findUpwards, hasCode, isOfAnother, orUndefined, readLink, realPath } from './paths.ts';
import { runProgram } from './programs.ts';
import { readSources } from './sources.ts';
import { openLines } from './append-lines.ts';
import { createFile, removeFile, writeFile, writePrivately } from './write-files.ts';

const SILENT: Log = { info: () => undefined };

export type NodeHostOptions = {
  readonly log?: Log;
  /** Default: 256 MB. */
  readonly maxInputBytes?: number | undefined;
};

/** Node.js has more, unless it was told otherwise. It is not asked, which takes as long as a small plan. */
const ANY_HEAP = 75e6;

/** The files, environment, programs and clock of a Node.js process. */
export function nodeHost({ log = SILENT, maxInputBytes = 256e6 }: NodeHostOptions = {}): Host {
  return {
    env: (name) => process.env[name],
    envNames: () => Object.keys(process.env),
    readSources: (paths, { root = findTree(), ...options } = {}) => readSources(paths, { root, ...options }),
    findUpwards,
    isOfAnother,
    exists,
    realPath: (path) => orUndefined(() => realPath(path)),
    readFile: (path) => promise(() => readText(path, findTree(), maxInputBytes)),
    readNamedFile: (path) => readNamedText(path, maxInputBytes),
    readWithin: (folders, path, mostBytes = maxInputBytes) =>
      promise(() => readWithin(folders, path, mostBytes)),
    readBytesWithin: (...file) => promise(() => readBytesWithin(...file)),
    findForeign: (folder) => promise(() => findForeign(folder)),
    listPublished: (texts, root) => promise(() => listPublished(texts, root)),
    wouldBeTracked: (path) => promise(() => wouldBeTracked(path)),
    walkFiles,
    filesWithin,
    namesIn: (folder) => promise(() => namesIn(folder, findTree())),
    watch: watchFolders,
    writeFile: (path, text, options) => writeFile(path, text, findTree(), options),
    writePrivately: (path, text) => promise(() => writePrivately(path, text, findTree())),
    createFile: (path, text, options) => promise(() => createFile(path, text, findTree(), options)),
    createFolder: (folder, files) => promise(() => createFolder(folder, files, findTree())),
    removeFile: (path) => promise(() => removeFile(path, findTree())),
    openLines: (path) => promise(() => openLines(path, findTree())),
    runProgram,
    openGit: async (folder) => (await import('./git.ts')).openGit(folder),
    now: () => new Date(),
    clock: systemClock,
    random: () => randomBytes(24).toString('base64url'),
    deriveKey,
    heapLimitBytes: (needed) => (needed < ANY_HEAP ? Infinity : getHeapStatistics().heap_size_limit),
    maxInputBytes,
    expectMuch: () => undefined,
    log,
    self: () => ({
      pid: process.pid,
      ...present({ startTime: statusOf(process.pid)?.startTime }),
      host: nameOfMachine(),
    }),
    isAlive,
  };
}

/** What is done at once, as a promise; what it throws rejects. */
function promise<T>(make: () => T): Promise<T> {
  return new Promise((resolve) => {
    resolve(make());
  });
}

/** With the container, where there is one: it can have the name of the machine, and numbers its processes itself. Exported for its test. */
export function nameOfMachine(space = readLink('/proc/self/ns/pid') ?? OUTSIDE): string {
  return space === OUTSIDE ? hostname() : `${hostname()} (container ${space.slice(5, -1)})`;
}

/** What Linux calls the processes outside of containers. */
const OUTSIDE = 'pid:[4026531836]';

/** Exported for its test. */
export function isAlive({ pid, startTime }: ProcessId): boolean {
  const status = statusOf(pid);
  if (status !== undefined) {
    // A process that has ended stays a zombie until its parent has waited for it: in a container perhaps for good.
    return !/[ZX]/.test(status.state) && (startTime ?? status.startTime) === status.startTime;
  }
  if (pid === process.pid) return false; // a number that another process had before
  try {
    process.kill(pid, 0); // sends nothing
    return true;
  } catch (error) {
    return hasCode(error, 'EPERM'); // it belongs to another user
  }
}

/** State and start time (ticks since the machine started) of a process on Linux; undefined elsewhere. */
function statusOf(pid: number): { readonly state: string; readonly startTime: string } | undefined {
  const text = orUndefined(() => readSystemText(`/proc/${pid}/stat`));
  if (text === undefined) return undefined;
  // After the name in parentheses, field 3 is the state and field 22 the start time (man 5 proc).
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] ?? '', startTime: fields[19] ?? '' };
}

/** Node.js fires a timer of more milliseconds, 25 days, at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** The clock of the machine, and its random numbers. */
export const systemClock: Clock = {
  now: () => Number(process.hrtime.bigint()) / 1e6, // `performance` takes 2 ms to load
  random: Math.random,
  wait: async (ms, signal) => {
    setMaxListeners(0, signal); // each write that is retried waits
    for (let left = ms; left === ms || (left > 0 && !signal.aborted); left -= LONGEST_TIMER)
      await setTimeout(Math.min(left, LONGEST_TIMER), undefined, { signal }).catch(() => undefined); // rejects when the signal is aborted
  },
};
