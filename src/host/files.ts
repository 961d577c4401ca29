import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, extname, join, resolve, sep } from 'node:path';
import type { Checked, Problem, SourceFile } from '../model/problem.ts';
import { reasonOf } from '../workflow/system-error.ts';

const EXTENSIONS = new Set(['.yaml', '.yml', '.json']);
const SKIPPED = new Set(['node_modules', 'gwconf.yaml']);

/**
 * The files that paths name: a file as it is, a folder with all YAML and JSON below it (names that begin with a dot,
 * node_modules and gwconf.yaml are skipped), `-` for `stdin`. Each file once, whatever names it has; each path is a layer
 * over those before it. A link that leads out of its folder and out of `root`, the folder of the project, is not followed.
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
        throw new UnreadableFile('it is a link out of the project');
      if (path !== '-' && statSync(path).size > MOST_BYTES)
        throw new UnreadableFile(`it is larger than ${MOST_BYTES / 1e6} MB`);
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
        if (name.startsWith('.') || SKIPPED.has(name)) continue;
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

/** The nearest folder, from `from` upwards, that has a file of this name. */
export function findUpwards(name: string, from = '.'): string | undefined {
  for (let folder = from; ; folder = join(folder, '..')) {
    if (existsSync(join(folder, name))) return folder;
    if (dirname(resolve(folder)) === resolve(folder)) return undefined;
  }
}

class UnreadableFile extends Error {}

/** A larger file is not configuration, and would not fit in memory beside its own syntax tree. */
const MOST_BYTES = 100_000_000;

function isWithin(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

/**
 * The text of a file that lies in the folder `root` once links are followed. Throws if it does not, is not a file, is
 * larger than `mostBytes` or not UTF-8; `reasonOf` says which.
 */
export function readWithin(root: string, path: string, mostBytes = MOST_BYTES): string {
  const folder = realpathSync(root);
  const real = realpathSync(path);
  if (!isWithin(real, folder)) throw new UnreadableFile('it lies outside of the folder');
  const stat = statSync(real);
  if (!stat.isFile()) throw new UnreadableFile('it is not a file');
  if (stat.size > mostBytes) throw new UnreadableFile(`it is larger than ${mostBytes / 1e6} MB`);
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(real));
}

export function exists(path: string): boolean {
  return existsSync(path);
}

export function readText(path: string): string {
  return readFileSync(path, 'utf8');
}

/** The names in a folder, sorted; none when there is no such folder. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

/** What cannot be looked at is taken for a file; reading it reports why. */
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
    hint: 'check the path and its permissions',
  };
}
