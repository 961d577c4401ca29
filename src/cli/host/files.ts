import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, extname, join, resolve, sep } from 'node:path';
import type { Checked, Problem, SourceFile } from '../../model/problem.ts';

const EXTENSIONS = new Set(['.yaml', '.yml', '.json']);
const PASSED_OVER = new Set(['node_modules', 'gwconf.yaml']);

/**
 * The files that paths name: a file as it is, a folder with all YAML and JSON below it (names that begin with a dot,
 * node_modules and gwconf.yaml are passed over), `-` for `stdin`. Each file once, whatever names it has; each path is a layer over those before it. A link
 * that leads out of its folder and out of `root`, the project's, is not followed.
 */
export function readSources(
  paths: readonly string[],
  stdin: Uint8Array = new Uint8Array(),
  root = '.',
): Checked<readonly SourceFile[]> {
  const value: SourceFile[] = [];
  const problems: Problem[] = [];
  const seen = new Set<string>();
  const read = (path: string, named: boolean, layer: number, roots: readonly string[]): void => {
    try {
      const real = path === '-' ? path : realpathSync(path);
      if (seen.has(real)) return;
      seen.add(real);
      if (!named && !roots.some((root) => isWithin(real, root)))
        throw new Unfit('it is a link out of the project');
      if (path !== '-' && statSync(path).size > MOST_BYTES)
        throw new Unfit(`it is larger than ${MOST_BYTES / 1e6} MB`);
      const bytes = path === '-' ? stdin : readFileSync(path);
      const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
      value.push({ path: path === '-' ? 'stdin' : path, text, layer, ...(named ? { named } : {}) });
    } catch (error) {
      problems.push(unreadable(path, error));
    }
  };
  const walk = (folder: string, layer: number, roots: readonly string[]): void => {
    try {
      const real = realpathSync(folder);
      if (seen.has(real)) return; // a link back up would never end
      seen.add(real);
      for (const name of readdirSync(folder).sort()) {
        if (name.startsWith('.') || PASSED_OVER.has(name)) continue;
        const path = join(folder, name);
        if (isFolder(path)) walk(path, layer, roots);
        else if (EXTENSIONS.has(extname(name).toLowerCase())) read(path, false, layer, roots);
      }
    } catch (error) {
      problems.push(unreadable(folder, error));
    }
  };
  for (const [layer, path] of paths.entries()) {
    if (path !== '-' && isFolder(path)) walk(path, layer, [realpathSync(path), realpathSync(root)]);
    else read(path, true, layer, []);
  }
  return { value, problems };
}

/** The nearest folder, from here upwards, that has a file of this name, as a path from here. */
export function findUpwards(name: string): string | undefined {
  for (let folder = '.'; ; folder = join(folder, '..')) {
    if (existsSync(join(folder, name))) return folder;
    if (dirname(resolve(folder)) === resolve(folder)) return undefined;
  }
}

class Unfit extends Error {}

/** More is no configuration, and would not fit beside its own syntax tree. */
const MOST_BYTES = 100_000_000;

function isWithin(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

/**
 * The text of a file that lies in the folder `root`, wherever links lead. Throws for one that does not, that is no file,
 * that is larger than `mostBytes` or no UTF-8; `reasonOf` says it in words.
 */
export function readWithin(root: string, path: string, mostBytes = MOST_BYTES): string {
  const folder = realpathSync(root);
  const real = realpathSync(path);
  if (!isWithin(real, folder)) throw new Unfit('it lies outside of the folder');
  const stat = statSync(real);
  if (!stat.isFile()) throw new Unfit('it is no file');
  if (stat.size > mostBytes) throw new Unfit(`it is larger than ${mostBytes / 1e6} MB`);
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(real));
}

export function exists(path: string): boolean {
  return existsSync(path);
}

export function readText(path: string): string {
  return readFileSync(path, 'utf8');
}

/** The names in a folder, sorted; none where there is no folder. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

/** What cannot be looked at is no folder; reading it says why. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function unreadable(path: string, error: unknown): Problem {
  return {
    code: 'unreadable-file',
    severity: 'error',
    message: `${path} cannot be read: ${reasonOf(error)}`,
    hint: 'check the path, and that it may be read',
  };
}

/** Whether it is the system that refused something, and not a bug of ours. */
export function isOfSystem(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'code' in error;
}

/** Why the system refused, in words. */
export function reasonOf(error: unknown): string {
  if (error instanceof TypeError) return 'it is not UTF-8 text';
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const words: Readonly<Record<string, string>> = {
    ENOENT: 'there is no such file or folder',
    EACCES: 'the permission is missing',
    EISDIR: 'it is a folder',
    ENOTDIR: 'a part of the path is no folder',
    EEXIST: 'a file of that name is in the way',
    ELOOP: 'its links go round in a circle',
    ENOSPC: 'the disk is full',
    EROFS: 'the file system is read-only',
  };
  return words[code] ?? (error instanceof Error ? error.message : String(error));
}
