import type { SecretVariable } from '../declare/declared.ts';
import { printDotenv } from '../declare/dotenv.ts';
import type { Problem } from '../model/problem.ts';
import type { Host, Text, WriteOptions } from './host.ts';
import { RequestError } from './request-error.ts';
import { hintOf, isSystemError, reasonOf } from './system-error.ts';

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

/** Throws a RequestError for a file of secrets that is there, or that git would take. */
export async function checkSecretsFile(
  host: Pick<Host, 'exists' | 'wouldBeTracked'>,
  path: string,
): Promise<void> {
  if (host.exists(path))
    throw new RequestError(`${path} already exists, and is not overwritten: name a new file`);
  if (await host.wouldBeTracked(path))
    throw new RequestError(
      `${path} would not be ignored by git: add it to .gitignore, or name a file outside of this folder`,
    );
}

/** The text of a file of secrets, and which of its values not every program reads. */
export function printSecretsFile(variables: readonly SecretVariable[]): {
  readonly text: string;
  readonly warnings: readonly Problem[];
} {
  const { text, forShellsOnly } = printDotenv(variables);
  return { text, warnings: forShellsOnly.map(onlyForShells) };
}

function onlyForShells(name: string): Problem {
  return {
    code: 'unusual-value',
    severity: 'warning',
    message: `the value of ${name} has quotes or line breaks that only shells read correctly from the file of secrets`,
    hint: 'read the file with set -a; . FILE, or set this variable in another way',
  };
}
