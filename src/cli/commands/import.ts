import { addAll } from '../../model/collect.ts';
import { hasErrors, type Problem } from '../../model/problem.ts';
import { onOneLine } from '../../report/escape.ts';
import { formatCount } from '../../report/text/phrases.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import type { FileChange } from '../../workflow/files/change-files.ts';
import { importLive, type Imported } from '../../workflow/files/import-live.ts';
import type { OpenProject } from '../../workflow/project/project.ts';
import {
  filesOf,
  openProjectFor,
  type InputArgs,
  type ProjectArgs,
  type SourceArgs,
} from '../connect/flags.ts';
import { openGatewaySource } from '../connect/live-source.ts';
import type { ConnectionArgs } from '../connect/settings.ts';
import type { Detail } from '../../report/text/text-options.ts';
import { EXIT, UsageError, VERDICTS, type ExitCode, type Io } from '../io.ts';
import { renderFileDiff } from '../present/file-diff.ts';
import { finish } from '../present/finish.ts';
import { showPlan } from '../present/output.ts';
import { unwritable, writeFile } from '../present/write-file.ts';

export type ImportArgs = ProjectArgs &
  ConnectionArgs &
  Omit<InputArgs, 'prune'> &
  SourceArgs & {
    readonly exclude?: readonly string[];
    readonly manages?: readonly string[];
    readonly drift?: boolean;
    readonly deleted?: boolean;
    readonly to?: string;
    readonly dryRun?: boolean;
    readonly detail?: Detail;
    readonly detailedExitcode?: boolean;
  };

/** Takes what is live into the files. It gets no gateway that can be written to. */
export async function importCommand(globs: readonly string[], args: ImportArgs, io: Io): Promise<ExitCode> {
  const { exclude, manages, drift, deleted, to } = args;
  if (deleted === true && drift !== true)
    throw new UsageError('--deleted is about declared objects: add --drift');
  if (drift === true && to !== undefined)
    throw new UsageError('--drift changes values where they are: leave out --to');
  const project = await openProjectFor(args, io);
  const opened = await openGatewaySource(args, project, io);
  if ('problems' in opened)
    return finish(
      { result: VERDICTS[opened.exit], code: opened.exit, problems: locateProblems(opened.problems) },
      io,
    );
  try {
    const options = {
      ...filesOf([], args, project, io),
      target: globs,
      exclude,
      manages,
      drift,
      deleted,
      to,
    };
    const imported = await importLive(io, project, opened.source, options);
    return await present(imported, opened.warnings, project, args, io);
  } finally {
    await opened.close();
  }
}

async function present(
  { changes, variables, left, problems }: Imported,
  warnings: readonly Problem[],
  project: OpenProject,
  args: ImportArgs,
  io: Io,
): Promise<ExitCode> {
  const unwritten: Problem[] = [];
  for (const change of changes) {
    if (args.dryRun === true) {
      for (const text of renderFileDiff(change, io.outPaint, io.masker.mask)) io.out(text);
      continue;
    }
    const failed = await write(change, project, io);
    addAll(unwritten, failed);
    if (failed.length === 0) io.out(`${renderChange(change)}\n`);
  }
  const found = [...warnings, ...problems, ...unwritten];
  const all = locateProblems([...found, ...(left?.problems ?? [])]);
  if (left?.shown !== undefined) {
    if (changes.length > 0) io.out('\nThe plan with these files:\n\n');
    showPlan(left.shown, { stdout: 'human', files: [], detail: args.detail }, io);
  }
  const failed = hasErrors(found);
  const isChanged = changes.length > 0;
  const result = failed ? 'error' : isChanged ? 'changes' : 'no-changes';
  const code = failed ? EXIT.failed : isChanged && args.detailedExitcode === true ? EXIT.pending : EXIT.ok;
  const hints = variables.map(
    ({ name, at: [first] }) => `${name}  ${first?.address ?? ''} ${first?.path ?? ''}\n`,
  );
  const head = `${formatCount(variables.length, 'variable')} for secrets must be set where gwconf runs:\n`;
  return finish({ result, code, problems: all, hints: hints.length === 0 ? '' : head + hints.join('') }, io);
}

function renderChange({ path, before, after }: FileChange): string {
  const verb = before === undefined ? 'created' : after === undefined ? 'removed' : 'changed';
  return `${verb} ${onOneLine(path)}`;
}

/** Writes a file unless it is not any more what was read. */
async function write(
  { path, before, after }: FileChange,
  { folder, root }: OpenProject,
  io: Io,
): Promise<readonly Problem[]> {
  if (path === 'stdin') return [unwritable(path, 'it is no file', 'name the file with -f')];
  const isThere = io.exists(path);
  if (before === undefined && isThere) return [unwritable(path, 'it exists', 'import again')];
  if (before !== undefined && (!isThere || (await io.readFile(path)) !== before.text))
    return [unwritable(path, 'it has changed since it was read', 'import again')];
  if (after === undefined) {
    await io.removeFile(path);
    return [];
  }
  return writeFile(path, after, io, { isShared: true, ...(folder === undefined ? {} : { root }) });
}
