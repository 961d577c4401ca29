import type { Host, Lines, Text } from '../../src/workflow/host.ts';
import { virtualClock, type VirtualClock } from './clock.ts';
import { quickKey } from './quick-key.ts';

/** A host whose files are in memory and whose clock jumps. */
export type MemoryHost = Host & {
  readonly clock: VirtualClock;
  /** What a process that is killed now leaves: noted lines that are not written yet may be lost. */
  leave(pid: number, losesNotes: boolean): MemoryHost;
};

export function memoryHost(
  files: ReadonlyMap<string, string> = new Map(),
  pid = 1,
  clock: VirtualClock = virtualClock(),
): MemoryHost {
  const disk = new Map(files);
  const noted = new Map<string, string>();
  let drawn = 0;
  const fullText = (path: string): string => (disk.get(path) ?? '') + (noted.get(path) ?? '');
  const flush = (path: string): void => {
    disk.set(path, fullText(path));
    noted.delete(path);
  };
  const read = async (path: string): Promise<string> => {
    await Promise.resolve();
    if (disk.has(path) || noted.has(path)) return fullText(path);
    throw Object.assign(new Error(`no ${path}`), { code: 'ENOENT', syscall: 'open' });
  };
  const write = (path: string, text: Text): Promise<void> => {
    disk.set(path, typeof text === 'string' ? text : [...text].join(''));
    return Promise.resolve();
  };
  return {
    env: () => undefined,
    envNames: () => [],
    readSources: async (paths) => ({
      value: await Promise.all(paths.map(async (path) => ({ path, text: await read(path), named: true }))),
      problems: [],
    }),
    findUpwards: () => undefined,
    isOfAnother: () => false,
    exists: (path) => disk.has(path),
    realPath: (path) => path,
    readFile: read,
    readNamedFile: read,
    readWithin: (_folders, path) => read(path),
    readBytesWithin: async (_folders, path) => new TextEncoder().encode(await read(path)),
    findForeign: () => Promise.resolve(undefined),
    listPublished: () => Promise.resolve(new Set()),
    wouldBeTracked: () => Promise.resolve(false),
    createFolder: (folder, made) => {
      for (const { path, text } of made) disk.set(`${folder}/${path}`, text);
      return Promise.resolve();
    },
    walkFiles: (paths) => paths.map((path) => ({ path, text: fullText(path) })),
    filesWithin: () => ({ read: (path) => disk.get(path), list: () => [] }),
    namesIn: (folder) =>
      Promise.resolve(
        [...disk.keys()]
          .filter((path) => path.startsWith(`${folder}/`))
          .map((path) => path.slice(folder.length + 1))
          .sort(),
      ),
    watch: () => ({ add: () => undefined, close: () => undefined }),
    writeFile: write,
    writePrivately: write,
    createFile: (path, text) => {
      if (disk.has(path)) return Promise.resolve(false);
      disk.set(path, text);
      return Promise.resolve(true);
    },
    removeFile: (path) => {
      disk.delete(path);
      return Promise.resolve();
    },
    openLines: (path): Promise<Lines> =>
      Promise.resolve({
        add: async (text) => {
          noted.set(path, (noted.get(path) ?? '') + text);
          await Promise.resolve();
          flush(path);
        },
        note: (text) => void noted.set(path, (noted.get(path) ?? '') + text),
        close: () => {
          flush(path);
          return Promise.resolve();
        },
      }),
    openGit: () => Promise.reject(new Error('there is no git')),
    runProgram: () => Promise.resolve({ stdout: new Uint8Array(), stderr: '', stopped: 'there are none' }),
    now: () => new Date(Date.UTC(2026, 2, 1, 12) + clock.now()),
    clock,
    deriveKey: quickKey,
    random: () => `drawn-${pid}-${(drawn += 1)}`,
    heapLimitBytes: () => Infinity,
    maxInputBytes: Infinity,
    expectMuch: () => undefined,
    log: { info: () => undefined },
    self: () => ({ pid, host: 'memory' }),
    isAlive: (one) => one.pid === pid,
    leave(next, losesNotes) {
      const left = new Map(disk);
      if (!losesNotes) for (const path of noted.keys()) left.set(path, fullText(path));
      return memoryHost(left, next, clock);
    },
  };
}
