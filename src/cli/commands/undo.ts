import { undoRun } from '../../workflow/run/undo.ts';
import { limitsOf } from '../connect/read-flags.ts';
import type { Run } from '../given.ts';
import { UsageError } from '../io.ts';
import { runOnGateway } from './run-on-gateway.ts';

/** Shows what undoes a run, asks, and does it: the newest run that has changed something, or the one that is named. */
export const run: Run<'undo'> = async (given) => {
  const { operand: name, args, io } = given;
  const asks = args.autoApprove !== true;
  if (asks && !io.interactive)
    throw new UsageError('cannot ask for approval without a terminal: use --auto-approve');
  const { manages, acceptExposure, topics } = args;
  const limits = limitsOf(args);
  return runOnGateway(given, { showsPlan: true, asks }, ({ workspace, gateway, options }) =>
    undoRun(io, workspace, gateway, name, { ...options, manages, limits, acceptExposure, topics }),
  );
};
