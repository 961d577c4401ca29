import {
  constants,
  createReadStream,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { Socket } from 'node:net';
import { dirname, extname, join, resolve, sep } from 'node:path';
import { isatty, ReadStream } from 'node:tty';
import type { Checked, Problem, SourceFile } from '../model/problem.ts';
import { reasonOf } from '../workflow/system-error.ts';

const EXTENSIONS = new Set(['.yaml', '.yml', '.json']);
const SKIPPED = new Set(['node_modules', 'gwconf.yaml']);

/**
 * The files that paths name: a file as it is, a folder with all YAML and JSON below it (names that begin with a dot,
 * node_modules and gwconf.yaml are skipped), `-` for `stdin`. Each file once, whatever names it has; each path is a layer
 * over those before it. A pipe or a device is read only if a path names it. A link that leads out of its folder and out of `root`, the folder of the project, is not followed.
 */
export async function readSources(
  paths: readonly string[],
  stdin: Uint8Array = new Uint8Array(),
  root = '.',
  mostBytes = Infinity,
): Promise<Checked<readonly SourceFile[]>> {
  const value: SourceFile[] = [];
  const problems: Problem[] = [];
  const seen = new Set<string>();
  let total = 0;
  const read = async (
    path: string,
    named: boolean,
    layer: number,
    roots: readonly string[],
  ): Promise<void> => {
    try {
      const real = path === '-' ? path : realpathSync(path);
      if (seen.has(real)) return;
      seen.add(real);
      if (!named && !roots.some((root) => isWithin(real, root)))
        throw new UnreadableFile('it is a link out of the project');
      if (total > mostBytes) return; // which the caller reports
      const bytes = path === '-' ? stdin : await (named ? readNamed : readRegular)(path, MOST_BYTES);
      const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
      total += bytes.length;
      value.push({ path: path === '-' ? 'stdin' : path, text, layer, ...(named ? { named } : {}) });
    } catch (error) {
      problems.push(unreadable(path, error));
    }
  };
  const walk = async (folder: string, layer: number, roots: readonly string[]): Promise<void> => {
    try {
      const real = realpathSync(folder);
      if (seen.has(real)) return; // a link back up would never end
      seen.add(real);
      for (const name of readdirSync(folder).sort()) {
        if (name.startsWith('.') || SKIPPED.has(name)) continue;
        const path = join(folder, name);
        if (isFolder(path)) await walk(path, layer, roots);
        else if (EXTENSIONS.has(extname(name).toLowerCase())) await read(path, false, layer, roots);
      }
    } catch (error) {
      problems.push(unreadable(folder, error));
    }
  };
  for (const [layer, path] of paths.entries()) {
    if (path !== '-' && isFolder(path)) await walk(path, layer, [realpathSync(path), realpathSync(root)]);
    else await read(path, true, layer, []);
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
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readRegular(real, mostBytes));
}

/** The bytes of a file. A pipe or a device that lies among files could block the process for good, and is none. */
function readRegular(path: string, mostBytes: number): Uint8Array {
  const stat = statSync(path);
  if (!stat.isFile() && !stat.isDirectory()) throw new UnreadableFile('it is not a file');
  if (stat.size > mostBytes) throw tooLarge(mostBytes);
  return readFileSync(path);
}

/** The bytes of whatever a user names: a file, a pipe such as that of `<(…)`, a device. */
async function readNamed(path: string, mostBytes: number): Promise<Uint8Array> {
  const stat = statSync(path);
  if (stat.isFile() || stat.isDirectory()) return readRegular(path, mostBytes);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of openStream(path)) {
    chunks.push(chunk as Buffer); // no encoding is set
    size += chunks.at(-1)?.length ?? 0;
    if (size > mostBytes) throw tooLarge(mostBytes);
  }
  return Buffer.concat(chunks);
}

/** Neither opening nor reading it blocks the process, so that a signal can end it. */
function openStream(path: string): NodeJS.ReadableStream {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  if (isatty(file)) return new ReadStream(file);
  return fstatSync(file).isFIFO()
    ? new Socket({ fd: file, readable: true, writable: false })
    : createReadStream(path, { fd: file });
}

function tooLarge(mostBytes: number): UnreadableFile {
  return new UnreadableFile(`it is larger than ${mostBytes / 1e6} MB`);
}

export function exists(path: string): boolean {
  return existsSync(path);
}

export function readText(path: string): string {
  return decodeText(readRegular(path, MOST_TEXT_BYTES));
}

export async function readNamedText(path: string): Promise<string> {
  return decodeText(await readNamed(path, MOST_TEXT_BYTES));
}

/** No longer text fits in a string. */
const MOST_TEXT_BYTES = 500_000_000;

function decodeText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
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
