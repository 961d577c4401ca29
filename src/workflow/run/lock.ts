import { basename, dirname, join } from 'node:path';
import { isObject } from '../../model/json/json.ts';
import type { Gateway } from '../../gateway/gateway.ts';
import type { Problem } from '../../model/problem.ts';
import { digest } from '../../plan/saved/digest.ts';
import type { Host, ProcessId } from '../host.ts';
import type { Workspace } from '../project/workspace.ts';
import { isSystemError } from '../system-error.ts';
import { TOOL } from '../tool.ts';
import { endEarly, startRun, type Run, type RunOptions, type RunResult } from './run.ts';

/** Frees the gateway for the next run. */
type Unlock = () => Promise<void>;

/** The run that has a lock, as its file says. */
type Holder = ProcessId & {
  /** Unique for each lock. */
  readonly id: string;
  readonly host: string;
  readonly tool: string;
  /** Since when, ISO 8601. */
  readonly at: string;
};

const POLL_MS = 250;
/** How often a lock is tried that changes hands at the same moment. */
const MOST_TRIES = 20;

/** Carries a run out while no other one with the same folder of journals works on the gateway. */
export async function withRun(
  host: Host,
  workspace: Workspace,
  gateway: Gateway,
  options: RunOptions,
  carryOut: (run: Run) => Promise<RunResult>,
): Promise<RunResult> {
  const run = startRun(host, workspace, gateway, options);
  const unlock = await lockGateway(run);
  if (typeof unlock !== 'function') return endEarly(run.signal.aborted ? 'interrupted' : 'error', [unlock]);
  try {
    return await carryOut(run);
  } finally {
    await unlock();
  }
}

/**
 * Locks the gateway for a run: of the runs that keep their journal in one folder, one at a time works on a gateway. The
 * lock of a process that has ended is taken over. Waits up to `lockTimeoutMs` for another run, then gives the problem that names
 * it. Where the folder cannot be written there is no lock; nor can a journal be begun there, so nothing is changed.
 */
async function lockGateway(run: Run): Promise<Unlock | Problem> {
  const { host, journal: folder, gateway, signal, lockTimeoutMs = 0 } = run;
  if (folder === undefined) return () => Promise.resolve();
  const path = join(folder, `gateway-${digest(gateway.url).slice(0, 12)}.lock`);
  const end = host.clock.now() + lockTimeoutMs;
  let isWaiting = false;
  try {
    await ignoreInGit(host, folder);
    for (;;) {
      const taken = await takeLock(host, path);
      if (typeof taken === 'function') return taken;
      const left = end - host.clock.now();
      if (left <= 0 || signal.aborted) return reportLocked(host, path, gateway.url, taken);
      if (!isWaiting) run.emit({ type: 'waiting-for-lock', holder: describeHolder(taken), forMs: left });
      isWaiting = true;
      await host.clock.wait(Math.min(POLL_MS, left), signal);
    }
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return () => Promise.resolve();
  }
}

async function ignoreInGit(host: Host, folder: string): Promise<void> {
  const home = dirname(folder);
  if (basename(home) !== '.gwconf' || host.exists(home)) return;
  await host.writePrivately(join(home, '.gitignore'), '*\n');
}

/** Takes the lock, or tells who has it; undefined when the file does not say. */
async function takeLock(host: Host, path: string): Promise<Unlock | Holder | undefined> {
  const { self, now, random } = host;
  const own: Holder = { id: random(), ...self, tool: TOOL, at: now().toISOString() };
  let holder: Holder | undefined;
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    if (await host.createFile(path, `${JSON.stringify(own)}\n`)) {
      if (holder !== undefined) await host.removeFile(guardOf(path)); // which a process that was killed may have left
      return () => removeLock(host, path, own.id);
    }
    holder = await readHolder(host, path);
    if (holder !== undefined && (holder.host !== self.host || host.isAlive(holder))) return holder;
    if (holder !== undefined) await removeStaleLock(host, path, holder.id);
  }
  return holder;
}

/**
 * Removes the lock of a process that has ended. Of several processes that find it only the one with the guard file does,
 * and only while the lock is still that one: a lock that was taken meanwhile stays.
 */
async function removeStaleLock(host: Host, path: string, id: string): Promise<void> {
  if (!(await host.createFile(guardOf(path), ''))) return;
  await removeLock(host, path, id);
  await host.removeFile(guardOf(path));
}

function guardOf(path: string): string {
  return `${path}.stale`;
}

async function removeLock(host: Host, path: string, id: string): Promise<void> {
  if ((await readHolder(host, path))?.id === id) await host.removeFile(path);
}

/** Undefined when there is no lock by now, or when its text is not complete. */
async function readHolder(host: Host, path: string): Promise<Holder | undefined> {
  try {
    const value: unknown = JSON.parse(await host.readFile(path));
    const isHolder =
      isObject(value) &&
      ['id', 'host', 'tool', 'at'].every((field) => typeof value[field] === 'string') &&
      typeof value['pid'] === 'number';
    return isHolder ? (value as unknown as Holder) : undefined; // has all of its fields
  } catch {
    return undefined;
  }
}

function describeHolder(holder: Holder | undefined): string {
  if (holder === undefined) return 'an unknown process';
  return `process ${holder.pid} on host ${holder.host}, ${holder.tool}, since ${holder.at}`;
}

function reportLocked(host: Host, path: string, url: string, holder: Holder | undefined): Problem {
  const isHere = holder?.host === host.self.host && host.isAlive(holder);
  return {
    code: 'run-in-progress',
    severity: 'error',
    message: `another run is in progress on ${url}: ${describeHolder(holder)}`,
    hint: isHere
      ? 'wait until it has ended, for instance with --wait 5m'
      : `wait until it has ended, for instance with --wait 5m; if that process is gone, delete ${path}`,
  };
}
