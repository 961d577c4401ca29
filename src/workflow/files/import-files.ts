import type { SecretVariable } from '../../declare/declared.ts';
import { addAll } from '../../model/collect.ts';
import { hasErrors, type Problem } from '../../model/problem.ts';
import type { Host } from '../host.ts';
import type { LiveSource } from '../live/live-source.ts';
import type { Workspace } from '../project/workspace.ts';
import { hintOf, isSystemError, reasonOf } from '../system-error.ts';
import type { FileChange } from './change-files.ts';
import { importLive, type Imported, type ImportOptions } from './import-live.ts';
import { printSecretsFile } from './secrets-file.ts';
import { unwritable, writeFile } from './write-file.ts';

export type ImportFilesOptions = ImportOptions & {
  /** Write nothing. */
  readonly dryRun?: boolean | undefined;
  /** A new file for the values of secrets. */
  readonly secretsEnv?: string | undefined;
  /** Told of each change that is written, or that would be. */
  readonly onChange: (change: FileChange) => void;
};

/** Takes what is live into files. Its problems are those of writing, too. */
export async function importFiles(
  host: Host,
  workspace: Workspace,
  source: LiveSource,
  { dryRun = false, secretsEnv, onChange, ...options }: ImportFilesOptions,
): Promise<Imported & { readonly result: 'error' | 'changes' | 'no-changes' }> {
  const imported = await importLive(host, workspace, source, options);
  const { changes, variables, problems } = imported;
  const unwritten = dryRun ? [] : await writeSecrets(variables, secretsEnv, host);
  for (const change of hasErrors(unwritten) ? [] : changes) {
    const failed = dryRun ? [] : await write(change, workspace, host);
    addAll(unwritten, failed);
    if (failed.length === 0) onChange(change);
  }
  const found = [...problems, ...unwritten];
  const result = hasErrors(found) ? 'error' : changes.length > 0 ? 'changes' : 'no-changes';
  return { ...imported, problems: found, result };
}

/** Writes the values of variables first: without them the files cannot be applied. */
async function writeSecrets(
  variables: readonly SecretVariable[],
  secretsEnv: string | undefined,
  host: Host,
): Promise<Problem[]> {
  if (secretsEnv === undefined || variables.length === 0) return [];
  const { text, warnings } = printSecretsFile(variables);
  try {
    if (await host.createFile(secretsEnv, text)) return [...warnings];
    return [unwritable(secretsEnv, 'it exists', 'name a new file')];
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return [unwritable(secretsEnv, reasonOf(error), hintOf(error))];
  }
}

/** Writes a file unless it is not any more what was read. */
async function write(
  { path, before, after }: FileChange,
  { project: { folder, root } }: Workspace,
  host: Host,
): Promise<readonly Problem[]> {
  if (path === 'stdin') return [unwritable(path, 'it is no file', 'name the file with -f')];
  if (before === undefined && host.exists(path)) return [unwritable(path, 'it exists', 'import again')];
  if (before !== undefined && (await readAgain(path, host)) !== before.text)
    return [unwritable(path, 'it has changed since it was read', 'import again')];
  if (after === undefined) {
    await host.removeFile(path);
    return [];
  }
  return writeFile(path, after, host, { isShared: true, ...(folder === undefined ? {} : { root }) });
}

/** Undefined if it cannot be read any more. */
async function readAgain(path: string, host: Host): Promise<string | undefined> {
  try {
    return await host.readFile(path);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return undefined;
  }
}
