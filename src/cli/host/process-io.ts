import { randomBytes } from 'node:crypto';
import { getEventListeners } from 'node:events';
import { hostname } from 'node:os';
import { createInterface } from 'node:readline';
import pc from 'picocolors';
import type { Paint } from '../../report/paint.ts';
import { makeMasker } from '../../plan/secrets/masker.ts';
import { exists, findUpwards, namesIn, readSources, readText, readWithin } from './files.ts';
import { append, openLines, writeAtomically, writePrivately } from './write-files.ts';
import { EXIT, UsageError, type Io, type Log } from '../io.ts';
import { runProgram } from './programs.ts';

/** The world as a command gets it in a real process. */
export async function processIo(args: readonly string[]): Promise<Io> {
  const colours = !args.includes('--no-color') && !args.includes('-no-color');
  const folder = valueOfFlag(args, 'chdir') ?? process.env['GWCONF_CHDIR'];
  if (folder !== undefined) process.chdir(folder);
  const interrupt = onInterrupt();
  const level = valueOfFlag(args, 'log-level') ?? process.env['GWCONF_LOG_LEVEL'];
  return {
    out: (text) => {
      process.stdout.write(text);
    },
    err: (text) => {
      process.stderr.write(text);
    },
    outPaint: paintFor(process.stdout, colours),
    errPaint: paintFor(process.stderr, colours),
    env: (name) => process.env[name],
    interactive: process.stdin.isTTY && process.stderr.isTTY,
    live: process.stderr.isTTY,
    ask: (question) => ask(question, interrupt),
    readSources: async (paths, root) =>
      readSources(paths, paths.includes('-') ? await readStdin() : undefined, root),
    findUpwards,
    exists,
    readFile: (path) => settled(() => readText(path)),
    readWithin: (root, path, mostBytes) => settled(() => readWithin(root, path, mostBytes)),
    runProgram,
    writeFile: (path, text) => settled(() => writeAtomically(path, text)),
    appendFile: (path, text) => settled(() => append(path, text)),
    writePrivately: (path, text) => settled(() => writePrivately(path, text)),
    openLines: (path) => settled(() => openLines(path)),
    namesIn: (folder) => settled(() => namesIn(folder)),
    now: () => new Date(),
    random: () => randomBytes(24).toString('base64url'),
    interrupted: interrupt.signal,
    log: level === undefined || level === '' ? SILENT : await loudLog(level),
    self: { pid: process.pid, host: hostname() },
    isAlive,
    masker: makeMasker(),
  };
}

function isAlive(pid: number): boolean {
  if (pid === process.pid) return false; // a number that another one had before
  try {
    process.kill(pid, 0); // sends nothing
    return !isDead(pid);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'; // it is somebody else's
  }
}

/** Whether a process has ended and nobody has asked yet how: in a container it may keep its number for good. */
function isDead(pid: number): boolean {
  try {
    const text = readText(`/proc/${pid}/stat`);
    return /^[ZX]/.test(text.slice(text.lastIndexOf(')') + 2)); // a name in parentheses, and the state
  } catch {
    return false; // another system
  }
}

/** All of stdin, however slowly it comes. */
async function readStdin(): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer); // no encoding is set
  return Buffer.concat(chunks);
}

/** What the disk does at once, in the shape that a slower one would have. */
function settled<T>(make: () => T): Promise<T> {
  return new Promise((resolve) => {
    resolve(make());
  });
}

const SILENT: Log = { info: () => undefined };

// pino costs a start-up, so it is loaded when somebody wants to read it.
async function loudLog(level: string): Promise<Log> {
  const { createLog, isLogLevel } = await import('./log.ts');
  if (!isLogLevel(level))
    throw new UsageError(`expected --log-level trace, debug, info, warn or error; found ${level}`);
  return createLog(level);
}

/** The value of a flag that must be known before the others are read. */
function valueOfFlag(args: readonly string[], name: string): string | undefined {
  const at = args.findIndex((arg) => arg === `--${name}` || arg === `-${name}`);
  if (at !== -1) return args[at + 1];
  return args
    .find((arg) => arg.startsWith(`--${name}=`) || arg.startsWith(`-${name}=`))
    ?.replace(/^[^=]*=/, '');
}

function paintFor(stream: { readonly isTTY?: boolean }, wanted: boolean): Paint {
  // A stream that is no terminal does not have the property at all, and undefined would mean picocolors' own guess.
  const { bold, dim, red, green, yellow, cyan } = pc.createColors(
    wanted && stream.isTTY === true && pc.isColorSupported,
  );
  return { bold, dim, red, green, yellow, cyan };
}

type Interrupt = { readonly signal: AbortSignal; readonly stop: () => void };

/** One line from the terminal; nothing when it was closed, or Ctrl-C was the answer. */
function ask(question: string, { stop }: Interrupt): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  return new Promise((resolve) => {
    terminal.once('close', () => {
      resolve('');
    });
    terminal.once('SIGINT', () => {
      stop(); // the terminal does not send a signal while a question stands
      terminal.close();
    });
    terminal.question(question, (answer) => {
      resolve(answer);
      terminal.close();
    });
  });
}

/**
 * The first Ctrl-C asks a command that listens to stop where it is safe; the second, or one that nobody listens for,
 * ends the process.
 */
function onInterrupt(): Interrupt {
  const controller = new AbortController();
  const { signal } = controller;
  const end = (): void => {
    if (signal.aborted || getEventListeners(signal, 'abort').length === 0) {
      process.stderr.write('result: interrupted\n');
      process.exit(EXIT.interrupted);
    }
    controller.abort();
  };
  process.on('SIGINT', end);
  process.on('SIGTERM', end);
  return { signal, stop: () => controller.abort() };
}
