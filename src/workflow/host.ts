import type { Clock } from '../apply/events.ts';
import type { DeriveKey } from '../plan/saved/digest.ts';
import type { Checked, Place, SourceFile } from '../model/problem.ts';

/**
 * What the use cases need of the world: files, environment, programs, clock, log. `nodeHost` is that of a Node.js process;
 * a program may hand in another. Paths are those of the program that calls, relative to wherever it works.
 */
export type Host = {
  /** An environment variable; undefined when it is not set. */
  readonly env: (name: string) => string | undefined;
  /** The names of all that are set. */
  readonly envNames: () => readonly string[];
  /** YAML and JSON files and what folders hold of them, `-` for stdin. What cannot be read is a problem. */
  readonly readSources: (
    paths: readonly string[],
    options?: SourceOptions,
  ) => Promise<Checked<readonly SourceFile[]>>;
  /** The nearest folder, from `folder` (default: here) upwards, that has a file of this name. */
  readonly findUpwards: (name: string, folder?: string) => string | undefined;
  /** Whether a file belongs neither to the user nor to root nor to the owner of `folder` (default: here). */
  readonly isOfAnother: (path: string, folder?: string) => boolean;
  readonly exists: (path: string) => boolean;
  /** Where a path leads once links are followed; undefined when nothing is there. */
  readonly realPath: (path: string) => string | undefined;
  /** Rejects when it cannot be read, is a pipe or a device, or when a link in the work tree leads out of it. */
  readonly readFile: (path: string) => Promise<string>;
  /** The same for a file that a user names, which may be anywhere, and a pipe or a device. */
  readonly readNamedFile: (path: string) => Promise<string>;
  /**
   * The same for a file that a project names: it lies in one of these folders once links are followed, outside of .git,
   * and is not larger than `mostBytes`.
   */
  readonly readWithin: (folders: readonly string[], path: string, mostBytes?: number) => Promise<string>;
  /** The same, whatever is in it. */
  readonly readBytesWithin: (
    folders: readonly string[],
    path: string,
    mostBytes: number,
  ) => Promise<Uint8Array>;
  /** What in a folder may be from somebody else. Rejects when that cannot be told. */
  readonly findForeign: (folder: string) => Promise<Foreign | undefined>;
  /**
   * The paths of those texts of files that are in the git of this work tree, word for word, and so known to whoever has the repository.
   * None where there is no git.
   */
  readonly listPublished: (texts: ReadonlyMap<string, string>, root: string) => Promise<ReadonlySet<string>>;
  /** Whether a new file lies in a work tree, whether there is one already or not, and git would not ignore it. */
  readonly wouldBeTracked: (path: string) => Promise<boolean>;
  /** The files that paths name and folders hold, in turn, without those that git ignores; each skipped one with its reason. What `isWanted` refuses by its name is not there. */
  readonly walkFiles: (
    paths: readonly string[],
    mostBytes: number,
    isWanted?: (name: string, isFolder: boolean) => boolean,
  ) => Iterable<WalkedFile>;
  /** The files in the git work trees around some paths. */
  readonly filesWithin: (paths: readonly string[], mostBytes: number) => FilesWithin;
  /** The names in a folder, sorted; none when there is no such folder. */
  readonly namesIn: (folder: string) => Promise<readonly string[]>;
  /** Calls back with the path of each file that is made, written or removed in the folders that are added. */
  readonly watch: (onChange: (path: string) => void) => Watch;
  /**
   * Replaces a file as a whole, or leaves it as it was. It keeps its mode; a new one is readable by the user only. This and
   * all that write reject when a link in the work tree leads out of it.
   */
  readonly writeFile: (path: string, text: Text, options?: WriteOptions) => Promise<void>;
  /** The same, always readable by the user only, and flushed to disk; folders that are missing are made the same way. */
  readonly writePrivately: (path: string, text: Text) => Promise<void>;
  /** Makes a file with this text that only the user can read; false when there is one already. Its folder is made, too. */
  readonly createFile: (path: string, text: string, options?: Pick<WriteOptions, 'root'>) => Promise<boolean>;
  /**
   * Makes a folder with these files, by their paths in it: as a whole, if it does not exist yet. Others may read them, as far as
   * the umask allows. Rejects when it has anything in it.
   */
  readonly createFolder: (folder: string, files: Iterable<FolderFile>) => Promise<void>;
  /** Nothing happens when there is no such file. */
  readonly removeFile: (path: string) => Promise<void>;
  /** Opens a file to append lines to. Rejects when it cannot be written. */
  readonly openLines: (path: string) => Promise<Lines>;
  /** Runs a program; never rejects. */
  readonly runProgram: (program: Program) => Promise<Ended>;
  /** The git on PATH, in the work tree of a folder. */
  readonly openGit: (folder: string) => Promise<Git>;
  readonly now: () => Date;
  /** For waits and durations; unlike `now` it never jumps. */
  readonly clock: Clock;
  /** Random text, for salts, signing keys and the names of runs. */
  readonly random: () => string;
  /** A key of a text that somebody may want to guess: slow on purpose, for digests of secrets in files. */
  readonly deriveKey: DeriveKey;
  /** The memory that values may take, of which this much is needed; beyond it the process ends at once. Infinity if it surely fits. */
  readonly heapLimitBytes: (needed: number) => number;
  /** The most that a file may hold, and all files of a run together. */
  readonly maxInputBytes: number;
  /** Told before there is much to do, also more than once: then the process may take time to become faster. */
  readonly expectMuch: () => void;
  readonly log: Log;
  readonly self: () => ProcessId & { readonly host: string };
  /** Whether this process of this machine is running. */
  readonly isAlive: (process: ProcessId) => boolean;
};

export type SourceOptions = {
  /** The folder of the project, or of the git work tree around it, which links may lead to. Default: here. */
  readonly root?: string | undefined;
  /** Whether a project names the paths: they lie in `root`, and neither `-` nor a pipe is special. */
  readonly isConfined?: boolean;
  /** Where the project names each path, for problems. */
  readonly places?: readonly (Place | undefined)[];
  /**
   * How the names of files in folders end. Default: as those of YAML and JSON. With an ending, a link out of the project that git ignores
   * is passed over.
   */
  readonly ending?: string;
  /** Told how many bytes were read and are about to be, and how many values were in them; no more is read when they are too many. */
  readonly checkSize?: (bytes: number, values: number) => TooLarge | undefined;
};

/** A path that somebody else may have made: who can commit, or has an account on the machine. */
export type Foreign = {
  readonly path: string;
  readonly what: 'in git' | 'a link' | 'of another user' | 'writable by everybody';
};

/** Watches folders, without those below them. */
export type Watch = {
  readonly add: (folders: readonly string[]) => void;
  readonly close: () => void;
};

/** A file, or the reason why it is skipped. */
export type WalkedFile =
  | { readonly path: string; readonly text: string }
  | { readonly path: string; readonly skipped: string; readonly isUnreadable?: true };

/** Reads files as a program needs them; what may not be read is not there. */
export type FilesWithin = {
  readonly read: (path: string) => string | undefined;
  readonly list: (folder: string) => readonly string[];
};

export type WriteOptions = {
  /** Whether others may read a new file, as far as the umask allows. */
  readonly isShared?: boolean;
  /** Whether only the user may read the file from now on, whatever its mode was. */
  readonly isPrivate?: boolean;
  /** The folder that the file lies in once links are followed, outside of .git, because a project names it. */
  readonly root?: string | undefined;
};

/** A file to write, and its path in its folder. */
export type FolderFile = { readonly path: string; readonly text: string };

/** Why something is too large, and what helps. */
export type TooLarge = { readonly message: string; readonly hint: string };

/** A process of a machine. Numbers are used again: `startTime`, where the system tells it, tells them apart. */
export type ProcessId = { readonly pid: number; readonly startTime?: string };

/** What a file is to hold; a long text comes in pieces, each written before the next is made. */
export type Text = string | Iterable<string>;

/** A file that only grows, in the order of the calls. After a failed write nothing more is written. */
export type Lines = {
  /** Resolves when the text is safe on disk; rejects when it cannot be. */
  readonly add: (text: string) => Promise<void>;
  /** Does not wait: a kill may lose the text for some milliseconds, a power cut until the next `add`. */
  readonly note: (text: string) => void;
  readonly close: () => Promise<void>;
};

/** For operators; off by default. No user needs it to understand a failure. */
export type Log = {
  readonly info: (fields: object, message: string) => void;
  /** Undefined when the level is off. */
  readonly debug?: (fields: object, message: string) => void;
  /** Each call to the gateway, without secrets. Undefined when the level is off. */
  readonly trace?: (fields: object, message: string) => void;
};

/** A program to run: no shell reads its arguments. */
export type Program = {
  readonly command: readonly string[];
  readonly folder: string;
  readonly timeoutMs: number;
  /** Limit on its output. */
  readonly mostBytes: number;
  /** Default: that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
};

/** How a program ended: with a code, or why it was stopped. */
export type Ended = { readonly stdout: Uint8Array; readonly stderr: string } & (
  | { readonly code: number }
  | { readonly stopped: string }
);

/** Reads a repository, without running what its config names and without fetching. */
export type Git = {
  /** Runs a git command; never rejects. */
  readonly run: (args: readonly string[]) => Promise<Ended>;
  /** Reads an object by its whole id. Rejects if git fails or takes too long. */
  readonly read: (id: string, mostBytes: number) => Promise<GitObject>;
  readonly close: () => void;
};

/** An object, or why there is none: a shallow clone does not have all. */
export type GitObject =
  | { readonly type: string; readonly bytes: Uint8Array }
  | { readonly type: 'missing' | 'too-large' };

/** The same log, with these fields in each line. */
export function logWith(about: object, { info, debug, trace }: Log): Log {
  const within =
    (log: Log['info']): Log['info'] =>
    (fields, message) =>
      log({ ...about, ...fields }, message);
  return {
    info: within(info),
    ...(debug && { debug: within(debug) }),
    ...(trace && { trace: within(trace) }),
  };
}
