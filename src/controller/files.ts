import { isAbsolute, join, normalize } from 'node:path';
import { present } from '../model/collect.ts';
import { countValues } from '../model/json/extent.ts';
import { makeProblem, type Problem, type SourceFile } from '../model/problem.ts';
import { isReserved } from '../model/text/placeholder.ts';
import type { Host, Log } from '../workflow/host.ts';
import { FileError, unreadable } from '../workflow/system-error.ts';
import { hasEnding, isPassedOver, isYamlOrJson } from '../model/text/file-ending.ts';

/** The files of a project by their paths, relative to where it begins. */
export type Files = ReadonlyMap<string, Uint8Array>;

/** What a Secret may say of its variables, as the environment of a command does. */
const ABOUT_VARIABLES = ['GWCONF_PUBLIC_VARIABLES', 'GWCONF_ALLOWED_VARIABLES'];

export type ProjectWorld = {
  readonly files: Files;
  /** All variables that files have: those of the process are not among them. */
  readonly variables: ReadonlyMap<string, string>;
  /** The folder of journals, an absolute path: all of the disk that there is. */
  readonly journal: string;
  readonly log: Log;
};

/**
 * A host in which a project sees its own files and variables, and nothing of the pod: no file of its disk, no variable of its process, no
 * program. Only journals are on the disk.
 */
export function projectHost(host: Host, { files, variables, journal, log }: ProjectWorld): Host {
  const isJournal = (path: string): boolean => path === journal || path.startsWith(join(journal, '/'));
  const bytesOf = (path: string): Uint8Array => {
    const bytes = isAbsolute(path) ? undefined : files.get(plain(path));
    if (bytes === undefined) throw new FileError('no such file or folder');
    return bytes;
  };
  const below = (folder: string): readonly string[] => {
    const start = plain(folder) === '.' ? '' : `${plain(folder)}/`;
    return [...files.keys()].filter((path) => path.startsWith(start)).sort();
  };
  const isFolder = (path: string): boolean => !isAbsolute(path) && below(path).length > 0;
  const read = (path: string, mostBytes = host.maxInputBytes): string => {
    const bytes = bytesOf(path);
    if (bytes.length > mostBytes) throw new FileError(`it is larger than ${mostBytes / 1e6} MB`);
    return decode(bytes);
  };
  const later = <T>(make: () => T): Promise<T> => new Promise((resolve) => resolve(make()));
  const none = (what: string) => (): never => {
    throw new FileError(`a controller has no ${what}`);
  };
  return {
    ...host,
    env: (name) =>
      isReserved(name) && !ABOUT_VARIABLES.includes(name)
        ? undefined
        : (variables.get(name) ?? (name === 'GWCONF_ALLOWED_VARIABLES' ? '*' : undefined)),
    envNames: () => [...variables.keys()],
    readSources: (paths, { places = [], ending = '', checkSize = () => undefined } = {}) =>
      later(() => {
        const value: SourceFile[] = [];
        const problems: Problem[] = [];
        const seen = new Set<string>();
        let [total, values] = [0, 0];
        const fail = (path: string, error: unknown, layer: number): void => {
          const problem = unreadable(path, error, 'check the path: it begins at the folder of gwconf.yaml');
          problems.push({ ...problem, ...present({ at: places[layer] }) });
        };
        const add = (path: string, layer: number, named: boolean): boolean => {
          if (seen.has(path)) return true;
          seen.add(path);
          try {
            const bytes = bytesOf(path);
            total += bytes.length;
            values += countValues(bytes);
            const tooLarge = checkSize(total, values);
            if (tooLarge !== undefined) {
              problems.push(makeProblem({ code: 'unreadable-file', ...tooLarge }));
              return false;
            }
            value.push({ path, text: decode(bytes), layer, ...(named ? { named } : {}) });
          } catch (error) {
            fail(path, error, layer);
          }
          return true;
        };
        for (const [layer, given] of paths.entries()) {
          const path = isAbsolute(given) ? given : plain(given);
          const inside = isFolder(path) ? below(path).filter((one) => isRead(one, path, ending)) : undefined;
          if (!(inside ?? [path]).every((one) => add(one, layer, inside === undefined))) break;
        }
        return { value, problems };
      }),
    findUpwards: (name, from = '.') => {
      for (let folder = plain(from); ; folder = join(folder, '..')) {
        if (files.has(plain(join(folder, name)))) return folder;
        if (folder === '.' || folder.startsWith('..') || isAbsolute(folder)) return undefined;
      }
    },
    isOfAnother: () => false,
    exists: (path) =>
      isJournal(path) ? host.exists(path) : !isAbsolute(path) && (files.has(plain(path)) || isFolder(path)),
    readFile: (path) => (isJournal(path) ? host.readFile(path) : later(() => read(path))),
    readNamedFile: (path) => later(() => read(path)),
    readWithin: (_folders, path, mostBytes) => later(() => read(path, mostBytes)),
    readBytesWithin: (_folders, path) => later(() => bytesOf(path)),
    listPublished: () => Promise.resolve(new Set()),
    walkFiles: none('files to walk'),
    filesWithin: none('files to walk'),
    namesIn: (folder) => (isJournal(folder) ? host.namesIn(folder) : Promise.resolve([])),
    watch: none('files to watch'),
    runProgram: () =>
      Promise.resolve({ stdout: new Uint8Array(), stderr: '', stopped: 'a controller runs no programs' }),
    openGit: () => later(none('git')),
    log,
  };
}

/** `./a/../b/` is `b`; one that leaves the project begins with `..`, and is in no project. */
function plain(path: string): string {
  const short = normalize(path).replace(/\/$/, '');
  return short === '' ? '.' : short;
}

/** Whether a folder has this file for whoever reads it: YAML and JSON, outside of folders that are hidden or of packages. */
function isRead(path: string, folder: string, ending: string): boolean {
  const parts = (folder === '.' ? path : path.slice(folder.length + 1)).split('/');
  return isYamlOrJson(path) && hasEnding(path, ending) && !parts.some(isPassedOver);
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
}
