import { isObject } from '../model/json/json.ts';
import type { Host, ProcessId, WriteOptions } from './host.ts';
import { TOOL } from './tool.ts';

export type Unlock = () => Promise<void>;

/** The process that has a lock, as its file says. */
export type Holder = ProcessId & {
  /** Unique for each lock. */
  readonly id: string;
  readonly host: string;
  readonly tool: string;
  /** Since when, ISO 8601. */
  readonly at: string;
};

/** How often a lock is tried that changes hands at the same moment. */
const MOST_TRIES = 20;

/**
 * Takes the lock that a file is, also from a process that has ended, or tells who has it; undefined when the file does not say.
 * `root` is as for `writeFile`.
 */
export async function takeLock(
  host: Host,
  path: string,
  options: Pick<WriteOptions, 'root'> = {},
): Promise<Unlock | Holder | undefined> {
  const { self, now, random } = host;
  const own: Holder = { id: random(), ...self(), tool: TOOL, at: now().toISOString() };
  let holder: Holder | undefined;
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    if (await host.createFile(path, `${JSON.stringify(own)}\n`, options)) {
      if (holder !== undefined) await host.removeFile(guardOf(path)); // which a process that was killed may have left
      return () => removeLock(host, path, own.id);
    }
    holder = await readHolder(host, path);
    if (holder !== undefined && (holder.host !== own.host || host.isAlive(holder))) return holder;
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

export function describeHolder(holder: Holder | undefined): string {
  if (holder === undefined) return 'an unknown process';
  return `process ${holder.pid} on host ${holder.host}, ${holder.tool}, since ${holder.at}`;
}
