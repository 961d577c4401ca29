import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline/promises';
import pc from 'picocolors';
import type { Paint } from '../index.ts';
import { append, readSources, readText, writeAtomically } from './files.ts';
import { EXIT, UsageError, type Io, type Log } from './io.ts';

/** The world as a command gets it in a real process. */
export async function processIo(args: readonly string[]): Promise<Io> {
  const colours = !args.includes('--no-color') && !args.includes('-no-color');
  const level = levelOf(args) ?? process.env['GWCONF_LOG_LEVEL'];
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
    ask,
    readSources: (paths) => settled(() => readSources(paths)),
    readFile: (path) => settled(() => readText(path)),
    writeFile: (path, text) => settled(() => writeAtomically(path, text)),
    appendFile: (path, text) => settled(() => append(path, text)),
    now: () => new Date(),
    random: () => randomBytes(24).toString('base64url'),
    interrupted: onInterrupt(),
    log: level === undefined || level === '' ? SILENT : await loudLog(level),
  };
}

/** What the disk does at once, in the shape that a slower one would have. */
function settled<T>(make: () => T): Promise<T> {
  return new Promise((resolve) => {
    resolve(make());
  });
}

const SILENT: Log = { info: () => undefined, debug: () => undefined };

// pino costs a start-up, so it is loaded when somebody wants to read it.
async function loudLog(level: string): Promise<Log> {
  const { createLog, isLogLevel } = await import('./log.ts');
  if (!isLogLevel(level))
    throw new UsageError(`expected --log-level trace, debug, info, warn or error; found ${level}`);
  return createLog(level);
}

function levelOf(args: readonly string[]): string | undefined {
  const at = args.indexOf('--log-level');
  return at === -1
    ? args.find((arg) => arg.startsWith('--log-level='))?.slice('--log-level='.length)
    : args[at + 1];
}

function paintFor(stream: NodeJS.WriteStream, wanted: boolean): Paint {
  const { bold, dim, red, green, yellow, cyan } = pc.createColors(
    wanted && stream.isTTY && pc.isColorSupported,
  );
  return { bold, dim, red, green, yellow, cyan };
}

async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question(question);
  } finally {
    terminal.close();
  }
}

/** The first Ctrl-C asks the command to stop where it is safe; the second ends the process. */
function onInterrupt(): AbortSignal {
  const controller = new AbortController();
  const stop = (): void => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted);
    controller.abort();
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  return controller.signal;
}
