import { makeProblem, type Problem } from '../model/problem.ts';

/** A file that gwconf does not read or write; the message says why, and the hint what helps. */
export class FileError extends Error {
  readonly hint: string | undefined;
  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

/** Whether a file or the operating system is the cause; any other error is a bug. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof FileError || (error instanceof Error && 'syscall' in error && 'code' in error);
}

/** What helps with a file that gwconf refuses. */
export function hintOf(error: unknown): string | undefined {
  if (error instanceof TypeError) return 'save it as UTF-8, or name another file';
  return error instanceof FileError ? error.hint : undefined;
}

/** The problem of a file that cannot be read. */
export function unreadable(
  path: string,
  error: unknown,
  hint = 'check the path and its permissions',
): Problem {
  return makeProblem({
    code: 'unreadable-file',
    message: `${path} cannot be read: ${typeof error === 'string' ? error : reasonOf(error)}`,
    hint: hintOf(error) ?? hint,
  });
}

/** That a file cannot be read: why, and what helps. */
export function tellUnreadable(path: string, error: unknown): string {
  const hint = hintOf(error);
  return `${path} cannot be read: ${reasonOf(error)}${hint === undefined ? '' : `; ${hint}`}`;
}

/** Why a file could not be read or written, in words. */
export function reasonOf(error: unknown): string {
  if (error instanceof TypeError) return 'it is not UTF-8 text';
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const words: Readonly<Record<string, string>> = {
    ENOENT: 'no such file or folder',
    EACCES: 'permission denied',
    EISDIR: 'it is a folder',
    ENOTDIR: 'a file is where a folder is expected',
    EEXIST: 'a file is where a folder is expected', // which of the two it is depends on the version of Node.js
    ELOOP: 'its links form a loop',
    ENXIO: 'it is not a file',
    ENOSPC: 'the disk is full',
    EROFS: 'the file system is read-only',
    EDQUOT: 'the disk quota is used up',
    EFBIG: 'it would become larger than the limit for files',
    EIO: 'the device failed',
  };
  return words[code] ?? (error instanceof Error ? error.message : String(error));
}

/** Requests for which a front end can say more, such as the flag that is missing. */
export type RequestCode =
  | 'no-input'
  | 'no-journal'
  | 'unreadable-plan'
  | 'unreadable-snapshot'
  | 'unknown-run';

/** What was asked for cannot be done as it was asked: there is no such file, environment or run. Nothing was begun. */
export class RequestError extends Error {
  readonly code: RequestCode | undefined;
  constructor(
    message: string,
    { code, cause }: { readonly code?: RequestCode; readonly cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'RequestError';
    this.code = code;
  }
}
