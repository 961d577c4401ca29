import type { Clock } from '../apply/clock.ts';
import type { Checked, Problem, SourceFile } from '../model/problem.ts';
import type { Masker } from '../plan/secrets/masker.ts';
import type { Paint } from '../report/paint.ts';
import type { Ended, Program } from './host/programs.ts';

/** All that a command may touch of the world; tests hand in their own. */
export type Io = {
  /** The product: stdout. */
  readonly out: (text: string) => void;
  /** Talk: stderr. */
  readonly err: (text: string) => void;
  readonly outPaint: Paint;
  readonly errPaint: Paint;
  readonly env: (name: string) => string | undefined;
  /** Whether somebody is there to answer a question. */
  readonly interactive: boolean;
  /** Whether stderr is a terminal, on which a line may be written over. */
  readonly live: boolean;
  readonly ask: (question: string) => Promise<string>;
  /** YAML and JSON files and what folders hold of them, `-` for stdin. What cannot be read is a problem. */
  readonly readSources: (paths: readonly string[], root?: string) => Promise<Checked<readonly SourceFile[]>>;
  /** The nearest folder, from here upwards, that has a file of this name, as a path from here. */
  readonly findUpwards: (name: string) => string | undefined;
  readonly exists: (path: string) => boolean;
  /** Rejects when the file cannot be read. */
  readonly readFile: (path: string) => Promise<string>;
  /** Rejects when the file cannot be read, lies outside of the folder, wherever its links lead, or is too large. */
  readonly readWithin: (root: string, path: string, mostBytes?: number) => Promise<string>;
  /** Runs a program; never rejects. */
  readonly runProgram: (program: Program) => Promise<Ended>;
  /** Whole or not at all. */
  readonly writeFile: (path: string, text: Text) => Promise<void>;
  readonly appendFile: (path: string, text: string) => Promise<void>;
  /** Whole or not at all, safe on disk, and for nobody but the user; so are the folders that it makes. */
  readonly writePrivately: (path: string, text: Text) => Promise<void>;
  /** Opens a file to which lines are added one by one. Rejects when it cannot be written. */
  readonly openLines: (path: string) => Promise<Lines>;
  /** The names in a folder, sorted; none where there is no folder. */
  readonly namesIn: (folder: string) => Promise<readonly string[]>;
  readonly now: () => Date;
  /** For waits and how long something takes; unlike `now` it never jumps. Default: the machine's. */
  readonly clock?: Clock;
  /** Random text, for salts and signing keys. */
  readonly random: () => string;
  /** Aborted by Ctrl-C or a polite kill; a second one ends the process. */
  readonly interrupted: AbortSignal;
  readonly log: Log;
  readonly self: { readonly pid: number; readonly host: string };
  /** Whether another process of this machine has this number. */
  readonly isAlive: (pid: number) => boolean;
  /** The secrets that this run has met so far, to be kept out of what others say. */
  readonly masker: Masker;
};

/** What a file is to hold; a long text comes in pieces, each written before the next is made. */
export type Text = string | Iterable<string>;

/** A file that only grows, by texts in the order of the calls. When one cannot be written, nothing is from then on. */
export type Lines = {
  /** Resolves when the text is safe on disk; rejects when that cannot be. */
  readonly add: (text: string) => Promise<void>;
  /** A text that nobody waits for: a kill may lose it for some milliseconds, a power cut until the next `add`. */
  readonly note: (text: string) => void;
  readonly close: () => Promise<void>;
};

/** For operators; off unless asked for. A user needs none of it to understand a failure. */
export type Log = {
  readonly info: (fields: object, message: string) => void;
  /** There when somebody wants to read it. */
  readonly debug?: (fields: object, message: string) => void;
  /** There when somebody wants to see each call to the gateway; gets nothing secret. */
  readonly trace?: (fields: object, message: string) => void;
};

/** Exit codes: one table, and the help and the README print it. */
export const EXIT = {
  ok: 0,
  failed: 1,
  pending: 2,
  blocked: 3,
  stale: 4,
  partial: 5,
  usage: 64,
  bug: 70,
  interrupted: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The verdict on a command that did not get as far as one of its own, by its exit code. */
export const VERDICTS = {
  [EXIT.failed]: 'error',
  [EXIT.blocked]: 'blocked',
  [EXIT.stale]: 'stale',
  [EXIT.usage]: 'wrong-usage',
  [EXIT.bug]: 'bug',
} as const;
/** How a command ends that problems stop. */
export type FailureCode = (typeof EXIT)['failed' | 'blocked' | 'stale'];

/** Problems that leave nothing to do but to show them. */
export class ProblemsError extends Error {
  readonly problems: readonly Problem[];
  readonly exit: FailureCode;
  constructor(problems: readonly Problem[], exit: FailureCode = EXIT.failed) {
    super('there are problems');
    this.problems = problems;
    this.exit = exit;
  }
}

/** A command line that cannot be meant: exit 64. */
export class UsageError extends Error {}
