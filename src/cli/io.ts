import { isBlocked, type Problem } from '../model/problem.ts';
import type { Masker } from '../plan/secrets/masker.ts';
import { onOneLine } from '../report/escape.ts';
import type { Paint } from '../report/text/layout.ts';
import type { Host } from '../workflow/host.ts';
import { tellUnreadable } from '../workflow/system-error.ts';
import type { Result } from '../outcome/verdict.ts';

/** All that a command may touch of the world: the host, and a terminal. Tests hand in their own. */
export type Io = Host & {
  /** Writes to stdout, which carries the report. */
  readonly out: (text: string) => void;
  /** Writes to stderr, which carries everything else. */
  readonly err: (text: string) => void;
  /** Writes to stdout without escapes, for a copy of stdin. */
  readonly copy: (text: string) => void;
  /** Resolves once all text so far is written, to the error that prevented it. Each error is returned once. */
  readonly flush: (stream: 'out' | 'err') => Promise<Error | undefined>;
  readonly outPaint: Paint;
  readonly errPaint: Paint;
  /** The columns of the terminal that stdout, or stderr, goes to; undefined for files and pipes. */
  readonly columns: { readonly out: number | undefined; readonly err: number | undefined };
  readonly outIsTerminal: boolean;
  /** Whether questions can be asked. */
  readonly interactive: boolean;
  /** Whether stderr is a terminal, on which a line can be overwritten. */
  readonly live: boolean;
  readonly ask: (question: string) => Promise<string>;
  /** The folder that gwconf is installed in. */
  readonly packageFolder: string;
  /** The text of a page of the documentation in the package. */
  readonly readPage: (name: string) => Promise<string>;
  /** Reads a file that a variable names, where `readNamedFile` is confined: variables are of whoever started gwconf. */
  readonly readVariableFile?: (path: string) => Promise<string>;
  readonly appendFile: (path: string, text: string) => Promise<void>;
  /** Aborted by Ctrl-C or SIGTERM, whose name is the reason; a second one ends the process. */
  readonly interrupted: AbortSignal;
  /** Hides the secrets that this command has met from messages that others wrote. */
  readonly masker: Masker;
};

/** The result of a command that problems stop. */
type Failure = Extract<Result, 'error' | 'blocked' | 'stale'>;

/** Problems that stop a command. */
export class ProblemsError extends Error {
  readonly problems: readonly Problem[];
  readonly result: Failure;
  constructor(problems: readonly Problem[], result: Failure = isBlocked(problems) ? 'blocked' : 'error') {
    super('there are problems');
    this.problems = problems;
    this.result = result;
  }
}

/** Invalid usage: exit 64. */
export class UsageError extends Error {}

/** Throws a UsageError where nobody can be asked for approval; `instead` is what to use then. */
export function requireTerminal({ interactive }: Pick<Io, 'interactive'>, instead: string): void {
  if (!interactive) throw new UsageError(`cannot ask for approval without a terminal: use ${instead}`);
}

/** Asks on the terminal; only a whole yes is one. */
export async function confirm(
  question: string,
  io: Pick<Io, 'ask' | 'err' | 'interrupted'>,
): Promise<boolean> {
  const answer = await io.ask(`${onOneLine(question)} Type yes to confirm: `);
  const isYes = answer.trim() === 'yes' && !io.interrupted.aborted;
  if (!isYes) io.err('Cancelled. Nothing was changed.\n');
  return isYes;
}

/** The text of a file that a flag names. */
export async function readGiven(path: string, io: Pick<Io, 'readNamedFile'>): Promise<string> {
  return io.readNamedFile(path).catch((error: unknown) => {
    throw new UsageError(tellUnreadable(path, error));
  });
}
