import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { FileError } from '../workflow/system-error.ts';

/** One call to the system, unlike realpathSync; it also gives names in the case in which they were made. */
export const realPath = realpathSync.native;

/** The nearest folder, from `from` upwards, that has a file of this name. */
export function findUpwards(name: string, from = '.'): string | undefined {
  for (let folder = from; ; folder = join(folder, '..')) {
    if (existsSync(join(folder, name))) return folder;
    if (dirname(resolve(folder)) === resolve(folder)) return undefined;
  }
}

/**
 * Whether a file, or the link to it, belongs to somebody else than the user, root and the owner of `from`: on a machine that others
 * use, anyone can put a file into a folder such as /tmp. Windows has no such owners.
 */
export function isOfAnother(path: string, from = '.', user = process.getuid?.()): boolean {
  if (user === undefined) return false;
  const trusted = [user, 0, statSync(from).uid];
  const owners = [lstatSync, statSync].map((stat) => stat(path, { throwIfNoEntry: false }));
  return owners.some((stat) => stat !== undefined && !trusted.includes(stat.uid));
}

/** Whether any user of the machine can change a file, or what is in a folder. Windows has no such modes. */
export function isWritableByAll(path: string): boolean {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  return process.getuid !== undefined && (mode & 0o002) !== 0;
}

/**
 * The folder whose links must not lead out of it, because others may have committed them: the git work tree around
 * `from`, the folder of gwconf.yaml if that is higher, or `from` itself.
 */
export function findTree(from = '.'): string {
  const here = realPath(from);
  const above = ['.git', 'gwconf.yaml'].map((name) => findUpwards(name, here) ?? here);
  return above.reduce((one, other) => (one.length < other.length ? one : other));
}

/**
 * The real path of a file that a project names. Throws unless it lies in one of the folders, given by their real paths, and
 * outside of their .git, which may hold credentials.
 */
export function resolveWithin(path: string, roots: readonly string[]): string {
  let real: string;
  try {
    real = realPath(path);
  } catch (error) {
    requireWithin(path, findRealPath(path), roots); // whether anything is there must not be told
    throw error;
  }
  requireWithin(path, real, roots);
  return real;
}

/** The same for a file that may not exist yet. */
export function resolveNewWithin(path: string, folder: string): string {
  const real = findRealPath(path);
  requireWithin(path, real, [realPath(folder)]);
  return real;
}

const STAY_INSIDE =
  'put it into the git work tree, or without one into the folder of gwconf.yaml; only flags can name other files';

function requireWithin(path: string, real: string, roots: readonly string[]): void {
  const root = roots.find((folder) => isWithin(real, folder));
  if (root === undefined) {
    const isLink = roots.some((folder) => isWithin(resolve(path), folder));
    throw new FileError(`it ${isLink ? 'is a link out' : 'lies outside'} of the project`, STAY_INSIDE);
  }
  if (isInGit(real, root)) throw new FileError('it lies in .git, which may hold credentials');
}

/**
 * The real path of a file that a user names and that may not exist yet. Throws where a link in `tree` leads out of it or
 * into its .git: nobody who names a path in the tree means another one. Links elsewhere are the user's own.
 */
export function resolveInTree(path: string, tree: string): string {
  const real = findRealPath(path);
  if (!passesThrough(path, tree)) return real;
  const isOut = !isWithin(real, tree);
  if (isOut || (isInGit(real, tree) && !isInGit(resolve(path), tree))) {
    const where = isOut ? 'out of the project' : 'into .git';
    throw new FileError(`a link leads ${where}, to ${real}`, 'remove the link, or name that path');
  }
  return real;
}

/** Whether a folder on the way to a path lies in the tree. Devices and descriptors never do. */
export function passesThrough(path: string, tree: string): boolean {
  if (isOfSystem(path)) return false;
  const absolute = resolve(path);
  for (let folder = dirname(absolute); ; folder = dirname(folder)) {
    if (isWithin(findRealPath(folder), tree)) return true;
    if (folder === dirname(folder)) return false;
  }
}

/**
 * Throws where somebody else has put a link on the way to a path, into a folder such as /tmp in which anyone can make files. Linux
 * follows no such links; it is not asked where gwconf finds out itself where a path leads.
 */
export function requireOwnLinks(path: string, user = process.getuid?.(), links = 0): void {
  const absolute = resolve(path);
  if (user === undefined || dirname(absolute) === absolute || links > MOST_LINKS) return;
  requireOwnLinks(dirname(absolute), user, links);
  const stat = lstatSync(absolute, { throwIfNoEntry: false });
  if (stat?.isSymbolicLink() !== true) return;
  const folder = statSync(dirname(absolute));
  if ((folder.mode & STICKY_FOR_ALL) === STICKY_FOR_ALL && stat.uid !== user && stat.uid !== folder.uid)
    throw new FileError(`${absolute} is a link of another user`, 'name another path');
  requireOwnLinks(resolve(realPath(dirname(absolute)), readlinkSync(absolute)), user, links + 1);
}

const STICKY_FOR_ALL = 0o1002;

/** Whether a path is that of a device or an open file, such as /dev/stdout; /dev/shm has ordinary files. */
export function isOfSystem(path: string): boolean {
  return /^\/(?:dev\/(?!shm(?:\/|$))|proc\/)/.test(resolve(path));
}

/** The path without links; of what is not there, also behind a link, the path that it would have. */
export function findRealPath(path: string, links = 0): string {
  const absolute = resolve(path);
  try {
    return realPath(absolute);
  } catch (error) {
    if (dirname(absolute) === absolute || links > MOST_LINKS) throw error;
    const real = join(findRealPath(dirname(absolute), links), basename(absolute));
    const target = readLink(real);
    return target === undefined ? real : findRealPath(resolve(dirname(real), target), links + 1);
  }
}

/** Links that lead nowhere may lead to each other. */
const MOST_LINKS = 40;

/** Undefined for what is no link, or nothing. */
export function readLink(path: string): string | undefined {
  return orUndefined(() => readlinkSync(path));
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Some file systems do not tell upper and lower case apart. */
function isInGit(path: string, root: string): boolean {
  return relative(root, path)
    .split(sep)
    .some((name) => name.toLowerCase() === '.git');
}

/** The path of a name in a folder that stays the same whatever takes the place of the folder. */
export type At = (name: string) => string;

/**
 * Calls `work` on an open folder, given by its real path: links that take its place, or that of a folder above it, while gwconf
 * runs lead nowhere else. Linux has paths through open folders; elsewhere, links are looked at only before.
 */
export function inFolder<T>(folder: string, work: (at: At) => T): T {
  const open = openFolder(folder);
  if (open === undefined) return work((name) => join(folder, name));
  const through = `/proc/self/fd/${open}`;
  try {
    const now = readLink(through);
    if (now !== undefined && now !== folder) throw new FileError(TAKEN_PLACE);
    return work((name) => join(now === undefined ? folder : through, name));
  } catch (error) {
    if (error instanceof Error) error.message = error.message.replaceAll(through, folder);
    throw error;
  } finally {
    closeSync(open);
  }
}

/** The same; makes folders that are missing. */
export function inNewFolder<T>(folder: string, mode: number, work: (at: At) => T): T {
  if (!existsSync(folder)) {
    inNewFolder(dirname(folder), mode, (at) => {
      try {
        mkdirSync(at(basename(folder)), { mode });
      } catch (error) {
        if (!hasCode(error, 'EEXIST')) throw error; // made meanwhile; what it is, opening it tells
      }
    });
  }
  return inFolder(folder, work);
}

const TAKEN_PLACE = 'something else took the place of a folder on the way while gwconf ran';

/** Undefined where a folder cannot be opened by its path alone: on other systems, and where the user may not list it. */
function openFolder(folder: string): number | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    return openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (error) {
    if (hasCode(error, 'EACCES')) return undefined;
    if (readLink(folder) !== undefined) throw new FileError(TAKEN_PLACE);
    throw error;
  }
}

/** What a call to the system gives; undefined if it fails, whatever the cause. */
export function orUndefined<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch {
    return undefined;
  }
}

/** Works with an open file, and closes it. */
export function closing<T>(file: number, work: (file: number) => T): T {
  try {
    return work(file);
  } finally {
    closeSync(file);
  }
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
