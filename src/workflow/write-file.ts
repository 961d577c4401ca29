import type { SecretVariable } from '../declare/declared.ts';
import { printDotenv, readDotenv } from '../declare/dotenv.ts';
import { addAll } from '../model/collect.ts';
import { hasErrors, makeProblem, type Problem } from '../model/problem.ts';
import type { Host, Text, WriteOptions } from './host.ts';
import { RequestError, hintOf, isSystemError, reasonOf, tellUnreadable } from './system-error.ts';

/** Writes the file that a command is to make, which is as it was when there is a problem. */
export function writeFile(
  path: string,
  text: Text,
  host: Host,
  options?: WriteOptions,
): Promise<readonly Problem[]> {
  return attempt(path, () => host.writeFile(path, text, options).then(() => []));
}

/** The same for a file that only the user can read. */
export function writePrivateFile(path: string, text: Text, host: Host): Promise<readonly Problem[]> {
  return attempt(path, () => host.writePrivately(path, text).then(() => []));
}

/** The problems of writing, also of a file that cannot be written. */
export async function attempt(
  path: string,
  write: () => Promise<readonly Problem[]>,
  also = '',
): Promise<readonly Problem[]> {
  try {
    return await write();
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return [unwritable(path, reasonOf(error), hintOf(error), also)];
  }
}

/** A file or folder to write, and what takes it back. */
export type ToWrite = {
  readonly path: string;
  readonly write: () => Promise<readonly Problem[]>;
  readonly takeBack?: () => Promise<void>;
};

/** Writes all of them in their order, or none if one cannot be written. */
export async function writeAllOrNone(all: readonly ToWrite[]): Promise<readonly Problem[]> {
  const told: Problem[] = [];
  for (const [at, { path, write }] of all.entries()) {
    const problems = await attempt(path, write, ', and nothing was');
    addAll(told, problems);
    if (!hasErrors(problems)) continue;
    for (const { takeBack } of all.slice(0, at)) await takeBack?.();
    return problems;
  }
  return told;
}

/** A new file. */
export function fileToWrite(path: string, text: string, host: Host): ToWrite {
  return {
    path,
    write: () => host.writeFile(path, text, { isShared: true }).then(() => []),
    takeBack: () => host.removeFile(path),
  };
}

/** The problem of a file that a command cannot write. */
export function unwritable(
  path: string,
  reason: string,
  hint = 'check the path, its permissions, and the space on the disk',
  also = '',
): Problem {
  return makeProblem({
    code: 'unwritable-file',
    message: `${path} cannot be written${also}: ${reason}`,
    hint,
  });
}

/** A file of secrets, as it was when the command began: what it has stays. */
export type SecretsFile = {
  readonly path: string;
  /** Undefined if there is none yet. */
  readonly before: string | undefined;
  /** Of its variables; undefined for a value that gwconf cannot read. */
  readonly values: ReadonlyMap<string, string | undefined>;
};

/** Throws a RequestError for a file that git would take, that is of another user, or that cannot be read. */
export async function openSecretsFile(
  host: Pick<Host, 'exists' | 'isOfAnother' | 'wouldBeTracked' | 'readFile'>,
  path: string,
): Promise<SecretsFile> {
  if (await host.wouldBeTracked(path))
    throw new RequestError(
      `${path} would not be ignored by git: add it to .gitignore, or name a file outside of this folder`,
    );
  if (!host.exists(path)) return { path, before: undefined, values: new Map() };
  // A shell that reads the secrets runs whatever the file has.
  if (host.isOfAnother(path))
    throw new RequestError(`${path} belongs to another user: name another file, or take it over`);
  try {
    const before = await host.readFile(path);
    return { path, before, values: readDotenv(before) };
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw new RequestError(tellUnreadable(path, error));
  }
}

/** Adds what a file of secrets does not have, and tells which values not every program reads. Rejects like `Host.writeFile`. */
export async function writeSecrets(
  { path, before }: SecretsFile,
  variables: readonly SecretVariable[],
  host: Pick<Host, 'exists' | 'readFile' | 'writeFile' | 'createFile'>,
): Promise<readonly Problem[]> {
  const { text, forShellsOnly } = printDotenv(variables, before);
  const isChanged =
    before === undefined ? !(await host.createFile(path, text)) : (await host.readFile(path)) !== before;
  if (isChanged) return [unwritable(path, 'it has changed since it was read', 'run this again')];
  if (before !== undefined) await host.writeFile(path, text, { isPrivate: true });
  return forShellsOnly.map(onlyForShells);
}

/** The same as a step of several. */
export function secretsToWrite(file: SecretsFile, variables: readonly SecretVariable[], host: Host): ToWrite {
  const { path, before } = file;
  return {
    path,
    write: () => writeSecrets(file, variables, host),
    takeBack: () =>
      before === undefined ? host.removeFile(path) : host.writeFile(path, before, { isPrivate: true }),
  };
}

function onlyForShells(name: string): Problem {
  return makeProblem({
    code: 'unusual-value',
    message: `the value of ${name} has quotes or line breaks that only shells read correctly from the file of secrets`,
    hint: 'read the file with set -a; . FILE, or set this variable in another way',
  });
}
