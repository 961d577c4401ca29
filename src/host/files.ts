import {
  constants,
  createReadStream,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { Socket } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { isatty, ReadStream } from 'node:tty';
import { present } from '../model/collect.ts';
import { countValues } from '../model/json/extent.ts';
import { GrowingBytes } from '../model/growing-bytes.ts';
import { makeProblem, type Checked, type Problem, type SourceFile } from '../model/problem.ts';
import type { SourceOptions, TooLarge } from '../workflow/host.ts';
import { FileError, unreadable } from '../workflow/system-error.ts';
import { closing, hasCode, inFolder, orUndefined, realPath, resolveInTree, resolveWithin } from './paths.ts';
import { hasEnding, isPassedOver, isYamlOrJson } from '../model/text/file-ending.ts';

/**
 * The files that paths name: a file as it is, a folder with all YAML and JSON below it (names that begin with a dot
 * and node_modules are skipped), `-` for `stdin`. Each file once, whatever names it has; each path is a layer
 * over those before it. `Host` describes the options.
 */
export async function readSources(
  paths: readonly string[],
  {
    root = '.',
    isConfined = false,
    places = [],
    ending = '',
    checkSize = () => undefined,
  }: SourceOptions = {},
  stdin: () => AsyncIterable<Uint8Array> = () => process.stdin,
): Promise<Checked<readonly SourceFile[]>> {
  const value: SourceFile[] = [];
  const problems: Problem[] = [];
  const seen = new Set<string>();
  const realRoot = realPath(root);
  let total = 0;
  let values = 0;
  const limit: Limit = (bytes) => {
    limitTo(MOST_TEXT_BYTES)(bytes);
    const tooLarge = checkSize(total + bytes, values);
    if (tooLarge !== undefined) throw new InputError(tooLarge);
  };
  const add = async (
    path: string,
    layer: number,
    named: boolean,
    read: () => Promise<Uint8Array> | Uint8Array,
  ): Promise<void> => {
    const bytes = await read();
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    values += countValues(bytes);
    limit(bytes.length);
    total += bytes.length;
    value.push({ path, text, layer, ...(named ? { named } : {}) });
  };
  /** `roots` are the folders that links may lead to; without them any. */
  const visit = async (
    path: string,
    layer: number,
    named: boolean,
    roots: readonly string[] | undefined,
  ): Promise<void> => {
    try {
      const real = roots === undefined ? realpathSync(path) : resolveWithin(path, roots);
      if (seen.has(real)) return; // a link back up would never end
      seen.add(real);
      if (isFolder(real)) {
        const inside = roots ?? [real, realRoot];
        for (const name of readdirSync(real).sort()) {
          if (isPassedOver(name)) continue;
          const below = join(path, name);
          const isRead = isYamlOrJson(name) && hasEnding(name, ending);
          // A link to nowhere may be meant for a folder: prune would delete what is declared there.
          if (isRead || isFolder(below) || !existsSync(below)) await visit(below, layer, false, inside);
        }
      } else {
        await add(path, layer, named, () =>
          roots === undefined ? readNamed(path, limit) : readRegular(real, limit),
        );
      }
    } catch (error) {
      if (error instanceof InputError) throw error;
      problems.push({ ...unreadable(path, error), ...present({ at: places[layer] }) });
    }
  };
  try {
    for (const [layer, path] of paths.entries()) {
      if (path !== '-' || isConfined) await visit(path, layer, true, isConfined ? [realRoot] : undefined);
      else if (!seen.has(path)) await add('stdin', layer, true, () => readStream(stdin(), limit));
      seen.add(path);
    }
  } catch (error) {
    problems.push(
      error instanceof InputError
        ? makeProblem({ code: 'unreadable-file', ...error.tooLarge })
        : unreadable('stdin', error),
    );
  }
  return { value, problems };
}

/** Told how many bytes were read so far, or are about to be; throws when they are too many. */
type Limit = (bytes: number) => void;

/** No file is read after this one. */
class InputError extends Error {
  readonly tooLarge: TooLarge;
  constructor(tooLarge: TooLarge) {
    super(tooLarge.message);
    this.tooLarge = tooLarge;
  }
}

/**
 * The text of a regular file that lies in one of these folders once links are followed, and not in .git. Throws if it
 * does not, is larger than `mostBytes` or not UTF-8; `reasonOf` says which.
 */
export function readWithin(...file: Parameters<typeof readBytesWithin>): string {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readBytesWithin(...file));
}

/** The same, whatever is in it. */
export function readBytesWithin(folders: readonly string[], path: string, mostBytes: number): Uint8Array {
  const within = folders.map((folder) => realPath(folder));
  return readRegular(resolveWithin(path, within), limitTo(mostBytes));
}

/** The text of a regular file; a link in the tree may not lead out of it. */
export function readText(path: string, tree: string, mostBytes: number): string {
  return decodeText(readRegular(resolveInTree(path, tree), limitTo(mostBytes)));
}

/** The text of whatever a user names: a file, a pipe such as that of `<(…)`, a device. */
export async function readNamedText(path: string, mostBytes: number): Promise<string> {
  return decodeText(await readNamed(path, limitTo(mostBytes)));
}

/** The text of a file of the system, such as one below /proc. */
export function readSystemText(path: string): string {
  return decodeText(readSystemBytes(path));
}

/** The bytes of a file of the system, or of git. */
export function readSystemBytes(path: string): Uint8Array {
  return readRegular(path, limitTo(MOST_TEXT_BYTES));
}

/** A longer text does not fit in a string. */
const MOST_TEXT_BYTES = 500_000_000;

function limitTo(mostBytes: number): Limit {
  const most = Math.min(mostBytes, MOST_TEXT_BYTES);
  return (bytes) => {
    if (bytes > most) throw new FileError(`it is larger than ${most / 1e6} MB`);
  };
}

function decodeText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
}

const REGULAR = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

/**
 * The bytes of a regular file at a path without links. What it is, is asked of the open file: a path may lead elsewhere by
 * now. A pipe or a device could block the process for good, and opening it does not.
 */
function readRegular(path: string, limit: Limit): Uint8Array {
  const file = inFolder(dirname(path), (at) => openSync(at(basename(path)), REGULAR));
  return closing(file, () => readOpen(file, limit));
}

function readOpen(file: number, limit: Limit): Uint8Array {
  const stat = fstatSync(file);
  if (!stat.isFile()) throw new FileError(stat.isDirectory() ? 'it is a folder' : 'it is not a file');
  limit(stat.size);
  const chunks: Uint8Array[] = [];
  let total = 0;
  // The size may be wrong: that of a file below /proc is 0, and a file may grow.
  for (let size = stat.size + 1; ; size = CHUNK_BYTES) {
    const chunk = Buffer.allocUnsafe(size);
    const read = readSync(file, chunk, 0, size, null);
    if (read === 0) break;
    limit((total += read));
    chunks.push(chunk.subarray(0, read));
  }
  return chunks.length === 1 ? (chunks[0] ?? new Uint8Array()) : Buffer.concat(chunks);
}

const CHUNK_BYTES = 65_536;

/** The bytes of a file, a pipe or a device. */
async function readNamed(path: string, limit: Limit): Promise<Uint8Array> {
  // Neither opening nor reading it blocks the process, so that a signal can end it.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const stat = fstatSync(file);
  if (!stat.isFile() && !stat.isDirectory()) return readStream(streamOf(file), limit);
  return closing(file, () => readOpen(file, limit));
}

/** All of a stream, however slowly it comes. */
async function readStream(stream: AsyncIterable<Uint8Array>, limit: Limit): Promise<Uint8Array> {
  const bytes = new GrowingBytes();
  for await (const chunk of stream) {
    bytes.append(chunk);
    limit(bytes.length);
  }
  return bytes.all();
}

function streamOf(file: number): AsyncIterable<Uint8Array> {
  if (isatty(file)) return new ReadStream(file);
  return fstatSync(file).isFIFO()
    ? new Socket({ fd: file, readable: true, writable: false })
    : createReadStream('', { fd: file });
}

export function exists(path: string): boolean {
  return existsSync(path);
}

/** The names in a folder, sorted; none when there is no such folder. */
export function namesIn(folder: string, tree: string): readonly string[] {
  try {
    return readdirSync(resolveInTree(folder, tree)).sort();
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}

/** The names of the links in a folder, sorted. */
export function linksIn(folder: string): readonly string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.flatMap((entry) => (entry.isSymbolicLink() ? [entry.name] : [])).sort();
}

/** What cannot be looked at is taken for a file; reading it reports why. */
export function isFolder(path: string): boolean {
  return orUndefined(() => statSync(path).isDirectory()) === true;
}
