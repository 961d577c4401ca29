import { addAll } from '../../model/collect.ts';
import { hasErrors, type Checked, type Problem } from '../../model/problem.ts';
import { onOneLine } from '../../report/escape.ts';
import { formatCount } from '../../report/phrases.ts';
import type { Address } from '../../model/resource.ts';
import { catalog } from '../../schema/kinds/index.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { readForeign, type Foreign } from '../../workflow/files/foreign.ts';
import type { FileChange } from '../../workflow/files/change-files.ts';
import { checkSecretsFile, printSecretsFile } from '../../workflow/files/secrets-file.ts';
import type { SecretVariable } from '../../declare/declared.ts';
import { findOtherReaders } from '../../workflow/files/add-documents.ts';
import { importLive, type Imported } from '../../workflow/files/import-live.ts';
import { hintOf, isSystemError, reasonOf } from '../../workflow/system-error.ts';
import type { Workspace } from '../../workflow/project/workspace.ts';
import { filesOf } from '../connect/flags.ts';
import type { Run } from '../given.ts';
import { UsageError, type Io } from '../io.ts';
import type { Ending } from '../present/finish.ts';
import type { Args } from '../table/commands.ts';
import { renderForeign } from '../present/foreign.ts';
import { renderFileDiff } from '../present/file-diff.ts';
import { renderVariables } from '../present/secret-variables.ts';
import { showPlan } from '../present/output.ts';
import { unwritable, writeFile } from '../present/write-file.ts';

type ImportArgs = Args<'import'>;

/** Takes what is live into the files. */
export const run: Run<'import'> = async ({ operand: globs, args, io, openWorkspace, openLive }) => {
  const { exclude, manages, drift, deleted, to } = args;
  if (deleted === true && drift !== true)
    throw new UsageError('--deleted is about declared objects: add --drift');
  if (drift === true && to !== undefined)
    throw new UsageError('--drift changes values where they are: leave out --to');
  if (args.secretsEnv !== undefined && args.dryRun !== true) await checkSecretsFile(io, args.secretsEnv);
  const read = await readForeignOf(args, io);
  if (hasErrors(read.problems)) return { result: 'error', problems: locateProblems(read.problems) };
  const workspace = await openWorkspace(args);
  const opened = await openLive(args, workspace);
  if ('problems' in opened) return { result: opened.result, problems: locateProblems(opened.problems) };
  const files = filesOf([], args, workspace, io);
  const options = { ...files, target: globs, exclude, manages, drift, deleted, to, from: read.value };
  const imported = await importLive(io, workspace, opened.source, options);
  const warnings = [...opened.warnings, ...read.problems];
  return present(imported, { warnings, from: read.value }, workspace, args, io);
};

async function readForeignOf(
  { fromTerraform, fromCliState, drift }: ImportArgs,
  io: Io,
): Promise<Checked<Foreign | undefined>> {
  if ([fromTerraform, fromCliState, drift].filter((one) => one !== undefined && one !== false).length > 1)
    throw new UsageError('use one of --drift, --from-terraform and --from-cli-state');
  if (fromTerraform !== undefined) return readForeign(io, 'terraform', fromTerraform);
  if (fromCliState !== undefined) return readForeign(io, 'cli', fromCliState);
  return { value: undefined, problems: [] };
}

async function present(
  { changes, variables, left, problems }: Imported,
  { warnings, from }: { readonly warnings: readonly Problem[]; readonly from: Foreign | undefined },
  workspace: Workspace,
  args: ImportArgs,
  io: Io,
): Promise<Ending> {
  const unwritten = args.dryRun === true ? [] : await writeSecrets(variables, args, io);
  const isSafe = !hasErrors(unwritten);
  for (const change of isSafe ? changes : []) {
    if (args.dryRun === true) {
      for (const text of renderFileDiff(change, io.outPaint, io.masker.mask)) io.out(text);
      continue;
    }
    const failed = await write(change, workspace, io);
    addAll(unwritten, failed);
    if (failed.length === 0) io.out(`${renderChange(change)}\n`);
  }
  const found = [...warnings, ...problems, ...unwritten];
  const all = locateProblems([...found, ...(left?.problems ?? [])]);
  if (left?.shown !== undefined) {
    if (changes.length > 0) io.out('\nThe plan with these files:\n\n');
    showPlan(
      left.shown,
      workspace.environment?.name,
      { stdout: 'human', files: [], detail: args.detail },
      io,
    );
  }
  const failed = hasErrors(found);
  if (from !== undefined && !failed && args.dryRun !== true && left?.shown !== undefined) {
    const isDeclared = (address: Address): boolean => left.desired.has(address);
    io.out(renderForeign(from, catalog.kinds, { isChanged: changes.length > 0, isDeclared }));
  }
  const isChanged = changes.length > 0;
  const result = failed ? 'error' : isChanged ? 'changes' : 'no-changes';
  const shared = changes.map(({ path }) => renderReaders(path, findOtherReaders(workspace, path)));
  return { result, problems: all, hints: shared.join('') + renderNeeded(variables, args) };
}

function renderChange({ path, before, after }: FileChange): string {
  const verb = before === undefined ? 'created' : after === undefined ? 'removed' : 'changed';
  return `${verb} ${onOneLine(path)}`;
}

function renderReaders(path: string, others: readonly string[]): string {
  if (others.length === 0) return '';
  return `${onOneLine(path)} is also read by ${others.map(onOneLine).join(', ')}: look at the plan there, too.\n`;
}

function renderNeeded(variables: readonly SecretVariable[], { secretsEnv, dryRun }: ImportArgs): string {
  if (variables.length === 0) return '';
  const isWritten = secretsEnv !== undefined && dryRun !== true;
  const where = isWritten
    ? `Their values are in ${onOneLine(secretsEnv)}, which only you can read; keep it out of git.\n`
    : '';
  return `Set ${formatCount(variables.length, 'variable')} for secrets where gwconf runs:\n${renderVariables(variables)}${where}`;
}

/** Writes the values of variables first: without them the files cannot be applied. */
async function writeSecrets(
  variables: readonly SecretVariable[],
  { secretsEnv }: ImportArgs,
  io: Io,
): Promise<Problem[]> {
  if (secretsEnv === undefined || variables.length === 0) return [];
  const { text, warnings } = printSecretsFile(variables);
  try {
    if (await io.createFile(secretsEnv, text)) return [...warnings];
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
  io: Io,
): Promise<readonly Problem[]> {
  if (path === 'stdin') return [unwritable(path, 'it is no file', 'name the file with -f')];
  if (before === undefined && io.exists(path)) return [unwritable(path, 'it exists', 'import again')];
  if (before !== undefined && (await readAgain(path, io)) !== before.text)
    return [unwritable(path, 'it has changed since it was read', 'import again')];
  if (after === undefined) {
    await io.removeFile(path);
    return [];
  }
  return writeFile(path, after, io, { isShared: true, ...(folder === undefined ? {} : { root }) });
}

/** Undefined if it cannot be read any more. */
async function readAgain(path: string, io: Io): Promise<string | undefined> {
  try {
    return await io.readFile(path);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return undefined;
  }
}
