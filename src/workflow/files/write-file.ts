import type { Problem } from '../../model/problem.ts';
import { hintOf, isSystemError, reasonOf } from '../system-error.ts';
import type { Host, Text, WriteOptions } from '../host.ts';

/** Writes the file that a command is to make, which is as it was when there is a problem. */
export function writeFile(
  path: string,
  text: Text,
  host: Host,
  options?: WriteOptions,
): Promise<readonly Problem[]> {
  return attempt(path, () => host.writeFile(path, text, options));
}

/** The same for a file that only the user can read. */
export function writePrivateFile(path: string, text: Text, host: Host): Promise<readonly Problem[]> {
  return attempt(path, () => host.writePrivately(path, text));
}

async function attempt(path: string, write: () => Promise<void>): Promise<readonly Problem[]> {
  try {
    await write();
    return [];
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return [unwritable(path, reasonOf(error), hintOf(error))];
  }
}

/** The problem of a file that a command cannot write. */
export function unwritable(
  path: string,
  reason: string,
  hint = 'check the path, its permissions, and the space on the disk',
): Problem {
  const message = `${path} cannot be written: ${reason}`;
  return { code: 'unwritable-file', severity: 'error', message, hint };
}
