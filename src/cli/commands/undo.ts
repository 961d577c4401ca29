import { undoRun } from '../../workflow/run/undo.ts';
import { limitsOf } from '../connect/flags.ts';
import { UsageError, type Io } from '../io.ts';
import type { ExitCode } from '../../outcome/verdict.ts';
import { runOnGateway, type RunArgs } from './run-on-gateway.ts';

export type UndoArgs = RunArgs;

/** Shows what undoes a run, asks, and does it: the newest run that has changed something, or the one that is named. */
export async function undo(name: string | undefined, args: UndoArgs, io: Io): Promise<ExitCode> {
  const asks = args.autoApprove !== true;
  if (asks && !io.interactive)
    throw new UsageError('cannot ask for approval without a terminal: use --auto-approve');
  const { manages, acceptExposure } = args;
  const limits = limitsOf(args);
  return runOnGateway(args, io, { showsPlan: true, asks }, ({ workspace, gateway, options }) =>
    undoRun(io, workspace, gateway, name, { ...options, manages, limits, acceptExposure }),
  );
}
