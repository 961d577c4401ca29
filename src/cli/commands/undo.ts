import { checkRun } from '../../workflow/run/find-run.ts';
import type { Workspace } from '../../workflow/project/workspace.ts';
import { undoFile } from '../../workflow/run/journal-files.ts';
import { undoRun } from '../../workflow/run/undo.ts';
import { writeFile } from '../../workflow/write-file.ts';
import { journalFolder, limitsOf } from '../connect/read-flags.ts';
import type { Run } from '../given.ts';
import { ProblemsError, requireTerminal, UsageError } from '../io.ts';
import { runOnGateway } from './run-on-gateway.ts';

/** Shows what undoes a run, asks, and does it: the newest run that has changed something, or the one that is named. */
export const run: Run<'undo'> = async (given) => {
  const { operand: name, args, io } = given;
  const { manages, acceptExposure, topics, out } = args;
  const isDryRun = args.dryRun === true || out !== undefined;
  const asks = args.autoApprove !== true;
  if (isDryRun && !asks) throw new UsageError('--dry-run and --out change nothing: leave out --auto-approve');
  const limits = limitsOf(args);
  const dryRunOf = isDryRun ? ['undo', ...(name === undefined ? [] : [name])] : undefined;
  const check = async (workspace: Workspace): Promise<void> => {
    await checkRun(io, journalFolder(args, workspace, io), name);
    if (asks && !isDryRun)
      requireTerminal(io, '--dry-run to see the changes, or --auto-approve to make them');
  };
  const manner = { showsPlan: true, asks, check, ...(dryRunOf === undefined ? {} : { dryRunOf }) };
  return runOnGateway(given, manner, async ({ workspace, gateway, options }) => {
    const conditions = { ...options, manages, limits, acceptExposure, topics };
    const ran = await undoRun(io, workspace, gateway, name, conditions);
    const undone = ran.shown?.undoes?.run;
    if (out === undefined || undone === undefined) return ran;
    const text = await io.readFile(undoFile(options.journal ?? '', undone));
    const unwritten = await writeFile(out, text, io);
    if (unwritten.length > 0) throw new ProblemsError(unwritten);
    return ran;
  });
};
