import { getEventListeners, setMaxListeners } from 'node:events';
import { createInterface } from 'node:readline';
import { nodeHost } from '../../host/node-host.ts';
import { findTree } from '../../host/paths.ts';
import { packageFolder, readPage } from '../../host/pages.ts';
import { appendFile, isATerminal } from '../../host/write-files.ts';
import { makeMasker } from '../../plan/secrets/masker.ts';
import { parseSize } from '../../model/text/quantities.ts';
import { NO_PAINT, type Paint } from '../../report/text/layout.ts';
import type { Log } from '../../workflow/host.ts';
import { UsageError, type Io } from '../io.ts';
import type { ExitCode } from '../../outcome/verdict.ts';
import { type Channel, tellResult } from './channel.ts';

/** stdout and stderr. */
export type Channels = { readonly out: Channel; readonly err: Channel };

/** Where gwconf is, and the pages of its documentation by their names. */
export type Pages = { readonly packageFolder: () => string; readonly readPage: (name: string) => string };

/** What a command gets in a real process. */
export async function processIo(
  args: readonly string[],
  channels: Channels,
  expectMuch: () => void,
  pages: Pages = { packageFolder, readPage },
): Promise<Io> {
  const colours = !args.includes('--no-color') && !args.includes('-no-color');
  const folder = valueOfFlag(args, 'chdir') ?? process.env['GWCONF_CHDIR'];
  if (folder !== undefined) enter(folder);
  const { out, err } = channels;
  const interrupt = onInterrupt(err);
  // Streams of Node.js are made when they are used, which takes longer.
  const isTerminal = { out: isATerminal(1), err: isATerminal(2) };
  const level = valueOfFlag(args, 'log-level') ?? process.env['GWCONF_LOG_LEVEL'];
  return {
    ...nodeHost({
      ...(level === undefined || level === '' ? {} : { log: await makeLog(level, err) }),
      maxInputBytes: maxInputOf(args),
    }),
    expectMuch,
    out: out.write,
    err: err.write,
    copy: out.write,
    flush: (stream) => channels[stream].flush(),
    outPaint: await paintFor(isTerminal.out, colours),
    errPaint: await paintFor(isTerminal.err, colours),
    columns: {
      out: isTerminal.out ? columnsOf(process.stdout) : undefined,
      err: isTerminal.err ? columnsOf(process.stderr) : undefined,
    },
    outIsTerminal: isTerminal.out,
    interactive: isTerminal.err && isATerminal(0),
    live: isTerminal.err,
    ask: (question) => ask(question, interrupt),
    packageFolder: pages.packageFolder(),
    readPage: (name) => Promise.resolve(pages.readPage(name)),
    appendFile: (path, text) => appendFile(path, text, findTree()),
    interrupted: interrupt.signal,
    masker: makeMasker(),
  };
}

function enter(folder: string): void {
  try {
    process.chdir(folder);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

// pino slows start-up, so it is loaded only when a log is wanted.
async function makeLog(level: string, { write }: Channel): Promise<Log> {
  const { createLog, isLogLevel } = await import('./log.ts');
  if (!isLogLevel(level))
    throw new UsageError(
      `expected --log-level (GWCONF_LOG_LEVEL) trace, debug, info, warn or error; found ${level}`,
    );
  return createLog(level, write);
}

function maxInputOf(args: readonly string[]): number | undefined {
  const size = valueOfFlag(args, 'max-input') ?? process.env['GWCONF_MAX_INPUT'] ?? '';
  const bytes = size === '' ? undefined : parseSize(size);
  if (size !== '' && bytes === undefined)
    throw new UsageError(
      `expected --max-input (GWCONF_MAX_INPUT) to be a size such as 500MB or 2GB; found ${size}`,
    );
  return bytes;
}

/** The value of a flag that must be known before the others are read. */
function valueOfFlag(args: readonly string[], name: string): string | undefined {
  const at = args.findIndex((arg) => arg === `--${name}` || arg === `-${name}`);
  if (at !== -1) return args[at + 1];
  return args
    .find((arg) => arg.startsWith(`--${name}=`) || arg.startsWith(`-${name}=`))
    ?.replace(/^[^=]*=/, '');
}

/** NO_COLOR and --no-color first, then FORCE_COLOR; else a terminal that has colours. */
async function paintFor(isTerminal: boolean, wanted: boolean): Promise<Paint> {
  const forced = !['', '0', 'false'].includes(process.env['FORCE_COLOR'] ?? '');
  const isOff = !wanted || (process.env['NO_COLOR'] ?? '') !== '';
  if (isOff || !(forced || isTerminal)) return NO_PAINT;
  const { default: pc } = await import('picocolors');
  const { bold, dim, red, green, yellow, cyan } = pc.createColors(forced || pc.isColorSupported);
  return { bold, dim, red, green, yellow, cyan };
}

/** A terminal that is too narrow to read is taken for one of forty columns. */
function columnsOf({ columns }: NodeJS.WriteStream): number | undefined {
  return columns > 0 ? Math.max(40, columns) : undefined;
}

type Interrupt = { readonly signal: AbortSignal; readonly stop: () => void };

/** One line from the terminal; empty when it was closed, or the answer was Ctrl-C. */
function ask(question: string, { stop }: Interrupt): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  return new Promise((resolve) => {
    terminal.once('close', () => {
      resolve('');
    });
    terminal.once('SIGINT', () => {
      stop(); // a terminal in a question sends no signal
      terminal.close();
    });
    terminal.question(question, (answer) => {
      resolve(answer);
      terminal.close();
    });
  });
}

/** The first Ctrl-C or SIGTERM asks a command that listens to stop where it is safe; any other ends the process. */
function onInterrupt(err: Channel): Interrupt {
  const controller = new AbortController();
  const { signal } = controller;
  setMaxListeners(0, signal); // each run in progress listens, and there may be many
  const end = (name: NodeJS.Signals): void => {
    if (signal.aborted || getEventListeners(signal, 'abort').length === 0) {
      leave(name, tellResult('interrupted', err));
    }
    controller.abort(name);
  };
  process.on('SIGINT', end);
  process.on('SIGTERM', end);
  return { signal, stop: () => controller.abort('SIGINT') };
}

/** Ends the process. An exit waits for DNS lookups, perhaps for half a minute; a signal does not. */
function leave(name: NodeJS.Signals, code: ExitCode): never {
  if (process.getActiveResourcesInfo().some((resource) => resource.startsWith('GetAddrInfo'))) {
    process.once('exit', () => {
      process.removeAllListeners(name); // what is left ends the process
      process.kill(process.pid, name);
    });
  }
  process.exit(code);
}
