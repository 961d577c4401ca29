import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { namesIn, readBytesWithin, readNamedText, readText, readWithin } from '../../src/host/files.ts';
import { createFolder, filesWithin, walkFiles, watchFolders } from '../../src/host/folders.ts';
import { findForeign, listPublished, wouldBeTracked } from '../../src/host/git-ignore.ts';
import { packageFolder, readPage } from '../../src/host/pages.ts';
import { findTree, isOfAnother } from '../../src/host/paths.ts';
import { appendFile, createFile, removeFile, writeFile, writePrivately } from '../../src/host/write-files.ts';
import { openLines } from '../../src/host/append-lines.ts';
import type { Clock } from '../../src/apply/events.ts';
import type { Io } from '../../src/cli/io.ts';
import type { ExitCode } from '../../src/outcome/verdict.ts';
import type { Lines } from '../../src/workflow/host.ts';
import { openGit } from '../../src/host/git.ts';
import { runProgram } from '../../src/host/programs.ts';
import { readSources } from '../../src/host/sources.ts';
import { run } from '../../src/cli/run.ts';
import { makeMasker, NO_PAINT, type Masker } from '../../src/index.ts';
import { virtualClock } from './clock.ts';
import { dedent } from './expect-problems.ts';
import { keepFolder } from './kept-folder.ts';
import { quickKey } from './quick-key.ts';

/** What a command line gave, and what it left behind is in the world's folder. */
export type Ran = {
  readonly code: ExitCode;
  readonly out: string;
  readonly err: string;
  readonly questions: readonly string[];
};

/** What of a run is not as the world has it. */
export type Circumstances = {
  /** The width of the terminal; default: no terminal. */
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** What is answered to a question; with it there is a terminal to ask on. */
  readonly answer?: string | (() => string | Promise<string>);
  readonly interrupt?: AbortController;
  /** Told of each text on stdout when it comes. */
  readonly onOut?: (text: string) => void;
  /** Told of each text on stderr when it comes. */
  readonly onErr?: (text: string) => void;
  /** Told of what `--log-level trace` logs of each call. */
  readonly onTrace?: (fields: object) => void;
  /** Whether stderr is a terminal that lines are written over on. */
  readonly live?: boolean;
  /** The processes that are alive. */
  readonly alive?: readonly number[];
  /** What values may take of memory; no bounds unless told. */
  readonly heapLimitBytes?: number;
  /** The most that all files together may hold. */
  readonly maxInputBytes?: number;
  /** The name of the machine; 'here' unless another is given. */
  readonly host?: string;
  /** What hides secrets in texts; one that learns them unless told. */
  readonly masker?: Masker;
  /** The streams that could not be written. */
  readonly lost?: readonly ('out' | 'err')[];
  /** What it waits by; a clock that jumps unless told. */
  readonly clock?: Clock;
  /** The folder that the command works in; the world's unless told. */
  readonly within?: string;
  /** What stands before the disk when lines are added to a file. */
  readonly lines?: (lines: Lines) => Lines;
};

/** A folder with files, an environment, and the command line in it, all without a process. */
export type World = {
  readonly folder: string;
  readonly env: Record<string, string>;
  write(path: string, text: string): void;
  read(path: string): string;
  json(path: string): unknown;
  has(path: string): boolean;
  run(...args: readonly string[]): Promise<Ran>;
  runWith(circumstances: Circumstances, ...args: readonly string[]): Promise<Ran>;
  /** What a command gets of the world. */
  io(circumstances?: Circumstances): Io;
};

export const SALT = 'salt-for-tests';
/** The process that every run in a world says it is. */
export const PID = 4711;
export const NOW = new Date('2026-03-01T12:00:00Z');

/** A world of its own for one test, with these files; gone when the test is over. */
export function makeWorld(files: Readonly<Record<string, string>> = {}, runsBefore = 0): World {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'gwconf-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const env: Record<string, string> = {};
  let runs = runsBefore;
  const ioFor = (circumstances: Circumstances, told: Told): Io =>
    ioOf(
      join(folder, circumstances.within ?? ''),
      { ...circumstances, env: { ...env, ...circumstances.env } },
      told,
      new Date(NOW.getTime() + runs++ * 1000), // each run has its own time
    );
  const world: World = {
    folder,
    env,
    write(path, text) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), dedent(text));
    },
    read: (path) => readFileSync(join(folder, path), 'utf8'),
    json: (path) => JSON.parse(readFileSync(join(folder, path), 'utf8')) as unknown,
    has: (path) => existsSync(join(folder, path)),
    run: (...args) => world.runWith({}, ...args),
    async runWith(circumstances, ...args) {
      const told: Told = { out: [], err: [], questions: [] };
      const code = await run(args, ioFor(circumstances, told));
      return { code, out: told.out.join(''), err: told.err.join(''), questions: told.questions };
    },
    io: (circumstances = {}) => ioFor(circumstances, { out: [], err: [], questions: [] }),
  };
  for (const [path, text] of Object.entries(files)) world.write(path, text);
  return world;
}

/** Makes worlds alike: the first in earnest, and the others of what its folder and its environment had then. */
export function worldsLike(make: () => Promise<World>): () => Promise<World> {
  let like: (() => World) | undefined;
  return async () => {
    if (like !== undefined) return like();
    const first = await make();
    const [fill, env] = [keepFolder(first.folder), { ...first.env }];
    like = () => {
      const world = makeWorld({}, LATER);
      fill(world.folder);
      Object.assign(world.env, env);
      return world;
    };
    return first;
  };
}

/** So many runs later none has the time of one before. */
const LATER = 1000;

type Told = { readonly out: string[]; readonly err: string[]; readonly questions: string[] };

function ioOf(
  folder: string,
  {
    env = {},
    stdin,
    answer,
    interrupt,
    live,
    onOut,
    onErr,
    onTrace,
    alive = [],
    host = 'here',
    heapLimitBytes = Infinity,
    maxInputBytes = 256e6,
    columns,
    lines = (own) => own,
    masker = makeMasker(),
    lost = [],
    clock = virtualClock(),
  }: Circumstances,
  told: Told,
  time: Date,
): Io {
  const at = (path: string): string => (path.startsWith('/') ? path : join(folder, path));
  const tree = (): string => findTree(folder);
  const near = (text: string): string => text.replaceAll(`${folder}/`, '');
  const failures = new Map(
    lost.map((stream) => [stream, Object.assign(new Error('full'), { code: 'ENOSPC' })]),
  );
  const now = <T>(make: () => T): Promise<T> => new Promise((resolve) => resolve(make()));
  return {
    out: (text) => {
      told.out.push(text);
      onOut?.(text);
    },
    err: (text) => {
      told.err.push(text);
      onErr?.(text);
    },
    copy: (text) => told.out.push(text),
    flush: (stream) => {
      const failure = failures.get(stream);
      failures.delete(stream); // each error is returned once
      return Promise.resolve(failure);
    },
    outPaint: NO_PAINT,
    errPaint: NO_PAINT,
    columns: { out: columns, err: columns },
    outIsTerminal: columns !== undefined,
    envNames: () => Object.keys(env),
    env: (name) => (Object.hasOwn(env, name) ? env[name] : undefined),
    interactive: answer !== undefined,
    live: live === true,
    ask: async (question) => {
      told.questions.push(question);
      return typeof answer === 'function' ? answer() : (answer ?? '');
    },
    readSources: async (paths, { root = '.', ...options } = {}) => {
      const stream = (): AsyncIterable<Uint8Array> => Readable.from([new TextEncoder().encode(stdin ?? '')]);
      const inside = (path: string): string =>
        path === '-' && options.isConfined !== true ? path : at(path);
      const given = { root: at(root), ...options };
      const { value, problems } = await readSources(paths.map(inside), given, stream);
      return {
        value: value.map((file) => ({ ...file, path: near(file.path) })),
        problems: problems.map((problem) => ({ ...problem, message: near(problem.message) })),
      };
    },
    isOfAnother: (path) => isOfAnother(at(path), folder),
    exists: (path) => existsSync(at(path)),
    realPath: (path) => at(path),
    findUpwards: (name) => (existsSync(at(name)) ? '.' : undefined),
    readFile: (path) => now(() => readText(at(path), tree(), maxInputBytes)),
    readNamedFile: (path) => readNamedText(at(path), maxInputBytes),
    readWithin: (folders, path, mostBytes = maxInputBytes) =>
      now(() => readWithin(folders.map(at), at(path), mostBytes)),
    readBytesWithin: (folders, path, mostBytes) =>
      now(() => readBytesWithin(folders.map(at), at(path), mostBytes)),
    openGit: (path) => Promise.resolve(openGit(at(path), { ...process.env, ...env })),
    runProgram: (program) => {
      const path = { PATH: `${at('bin')}:${process.env['PATH'] ?? ''}` };
      return runProgram({ ...program, folder: at(program.folder), env: { ...process.env, ...path } });
    },
    watch: (onChange) => {
      const { add, close } = watchFolders((path) => onChange(near(path)));
      return { add: (folders) => add(folders.map(at)), close };
    },
    writeFile: (path, text, { root, ...options } = {}) =>
      writeFile(at(path), text, tree(), root === undefined ? options : { root: at(root), ...options }),
    packageFolder: packageFolder(),
    readPage: (name) => now(() => readPage(name)),
    appendFile: (path, text) => appendFile(at(path), text, tree()),
    writePrivately: (path, text) => now(() => writePrivately(at(path), text, tree())),
    createFile: (path, text, { root } = {}) =>
      now(() => createFile(at(path), text, tree(), root === undefined ? {} : { root: at(root) })),
    removeFile: (path) => now(() => removeFile(at(path), tree())),
    openLines: (path) => now(() => lines(openLines(at(path), tree()))),
    findForeign: (path) => now(() => findForeign(at(path))),
    listPublished: (texts, root) =>
      now(() => {
        const found = listPublished(new Map([...texts].map(([path, text]) => [at(path), text])), at(root));
        return new Set([...texts.keys()].filter((path) => found.has(at(path))));
      }),
    wouldBeTracked: (path) => now(() => wouldBeTracked(at(path), folder)),
    createFolder: (path, files) => now(() => createFolder(at(path), files, tree())),
    *walkFiles(paths, mostBytes, isWanted) {
      for (const file of walkFiles(paths.map(at), mostBytes, isWanted)) {
        const path = near(file.path);
        yield 'skipped' in file ? { ...file, path, skipped: near(file.skipped) } : { ...file, path };
      }
    },
    filesWithin: (paths, mostBytes) => {
      const { read, list } = filesWithin(paths.map(at), mostBytes);
      return { read: (path) => read(at(path)), list: (path) => list(at(path)) };
    },
    namesIn: (path) => now(() => namesIn(at(path), tree())),
    now: () => time,
    clock,
    random: () => SALT,
    deriveKey: quickKey,
    interrupted: (interrupt ?? new AbortController()).signal,
    heapLimitBytes: () => heapLimitBytes,
    maxInputBytes,
    expectMuch: () => undefined,
    log: {
      info: () => undefined,
      ...(onTrace === undefined ? {} : { trace: onTrace }),
    },
    self: () => ({ pid: PID, host }),
    isAlive: ({ pid }) => alive.includes(pid),
    masker,
  };
}

/** The last line of stderr. */
export function verdictOf({ err }: { readonly err: string }): string {
  return err.trimEnd().split('\n').at(-1) ?? '';
}

/** All of stderr for a command line that cannot be meant. */
export function wrongUsage(sentence: string): string {
  return `gwconf: ${sentence}\nresult: wrong-usage\n`;
}

/** Flags for a report in each format, in `out.FORMAT`. */
export function inFormats(...formats: readonly string[]): readonly string[] {
  return formats.flatMap((format) => ['-o', `${format}=out.${format}`]);
}
