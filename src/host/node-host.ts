import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Host, Log } from '../workflow/host.ts';
import { exists, findUpwards, namesIn, readSources, readText, readWithin } from './files.ts';
import { runProgram } from './programs.ts';
import { systemClock } from './system-clock.ts';
import { openLines, writeAtomically, writePrivately } from './write-files.ts';

const SILENT: Log = { info: () => undefined };

/** The files, environment, programs and clock of a Node.js process. */
export function nodeHost({ log = SILENT }: { readonly log?: Log } = {}): Host {
  return {
    env: (name) => process.env[name],
    readSources: async (paths, root) =>
      readSources(paths, paths.includes('-') ? await readStdin() : undefined, root),
    findUpwards,
    exists,
    readFile: (path) => promise(() => readText(path)),
    readWithin: (root, path, mostBytes) => promise(() => readWithin(root, path, mostBytes)),
    namesIn: (folder) => promise(() => namesIn(folder)),
    writeFile: (path, text) => promise(() => writeAtomically(path, text)),
    writePrivately: (path, text) => promise(() => writePrivately(path, text)),
    openLines: (path) => promise(() => openLines(path)),
    runProgram,
    now: () => new Date(),
    clock: systemClock,
    random: () => randomBytes(24).toString('base64url'),
    log,
    self: { pid: process.pid, host: hostname() },
    isAlive,
  };
}

/** What is done at once, as a promise; what it throws rejects. */
function promise<T>(make: () => T): Promise<T> {
  return new Promise((resolve) => {
    resolve(make());
  });
}

function isAlive(pid: number): boolean {
  if (pid === process.pid) return false; // a number that another process had before
  try {
    process.kill(pid, 0); // sends nothing
    return !isDead(pid);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'; // it belongs to another user
  }
}

/** Whether a process has ended and its parent has not yet waited for it: in a container it may keep its number for good. */
function isDead(pid: number): boolean {
  try {
    const text = readText(`/proc/${pid}/stat`);
    return /^[ZX]/.test(text.slice(text.lastIndexOf(')') + 2)); // a name in parentheses, and the state
  } catch {
    return false; // another system
  }
}

/** All of stdin, however slowly it comes. */
async function readStdin(): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer); // no encoding is set
  return Buffer.concat(chunks);
}
