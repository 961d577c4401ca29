import { bound, catalog, hasErrors, onOneLine, planText, redact } from '../../index.ts';
import { carryOut, checkAndCarryOut } from '../carry-out.ts';
import { finish } from '../finish.ts';
import { EXIT, UsageError, type ExitCode, type Io } from '../io.ts';
import { openPlan, withItsSecrets } from '../plan-file.ts';
import { planFrom, type PlanningArgs } from '../planning.ts';
import { withGateway, type RunArgs, type Running } from '../running.ts';
import { wrongTarget } from '../target.ts';

export type ApplyArgs = RunArgs & PlanningArgs & { readonly autoApprove?: boolean };

/** Carries out a saved plan, or plans, shows, asks and carries out. */
export async function apply(planFile: string | undefined, args: ApplyArgs, io: Io): Promise<ExitCode> {
  if (planFile !== undefined) refusePlanningFlags(args);
  else if (args.autoApprove !== true && !io.interactive) {
    throw new UsageError('there is no terminal to ask on: give --auto-approve, or apply a saved plan');
  }
  return withGateway(args, io, (run) =>
    planFile === undefined ? planAndApply(args, run) : applySaved(planFile, args, run),
  );
}

async function planAndApply(args: ApplyArgs, run: Running): Promise<ExitCode> {
  const { gateway, io, output } = run;
  const elsewhere = wrongTarget(undefined, gateway.url, run.project);
  if (elsewhere !== undefined) return finish(run, 'stale', undefined, [], [elsewhere]);
  const planned = await planFrom([], args, gateway, run.project, io);
  const plan = planned.plan;
  const isBlocked = planned.exit === EXIT.blocked;
  if (plan === undefined || (hasErrors(planned.problems) && !isBlocked)) {
    return finish(run, isBlocked ? 'blocked' : 'error', undefined, [], planned.problems);
  }
  const shown = redact(plan, catalog.kinds);
  const show = output.stdout === 'human' ? io.out : io.err;
  show(planText(shown, output.stdout === 'human' ? io.outPaint : io.errPaint));
  if (hasErrors(planned.problems)) return finish(run, 'blocked', shown, [], planned.problems);
  const task = { ...bound(plan, catalog.kinds), shown, problems: planned.problems };
  if (plan.changes.length === 0) return finish(run, 'no-changes', shown, [], planned.problems);
  if (args.autoApprove === true) return carryOut(run, task, new Set());
  const answer = await io.ask(
    `Make these changes on ${onOneLine(gateway.url)}? Only yes is taken for a yes: `,
  );
  if (answer.trim() !== 'yes' || io.interrupted.aborted) {
    io.err('Nothing was changed.\n');
    return finish(run, io.interrupted.aborted ? 'interrupted' : 'blocked', shown, [], planned.problems);
  }
  return checkAndCarryOut(run, task); // somebody may have changed something while the question stood
}

async function applySaved(planFile: string, args: ApplyArgs, run: Running): Promise<ExitCode> {
  const { gateway, io } = run;
  const { value: saved, problems } = await openPlan(planFile, io);
  if (saved === undefined) return finish(run, 'error', undefined, [], problems);
  const shown = redact({ ...saved, counts: saved.summary }, catalog.kinds);
  const wrong = wrongTarget(saved, gateway.url, run.project);
  if (wrong !== undefined) return finish(run, 'stale', shown, [], [...problems, wrong]);
  const unsealing = await withItsSecrets(saved, args, run.project, io);
  if (hasErrors(unsealing.problems)) {
    return finish(run, 'error', shown, [], [...problems, ...unsealing.problems]);
  }
  if (saved.changes.length === 0) return finish(run, 'no-changes', shown, [], problems);
  const { relies, salt } = saved;
  return checkAndCarryOut(run, { changes: unsealing.value, relies, salt, shown, problems });
}

function refusePlanningFlags(args: ApplyArgs): void {
  const { file, target, exclude, prune, manages, allowEmpty, maxDeletes, maxUpdates } = args;
  const flags = {
    ...{ file, target, exclude, prune, manages, 'allow-empty': allowEmpty },
    ...{ 'max-deletes': maxDeletes, 'max-updates': maxUpdates },
  };
  const given = Object.entries(flags).filter(([, value]) => value !== undefined);
  if (given.length > 0) {
    throw new UsageError(
      `a saved plan says all there is to do; leave out ${given.map(([name]) => `--${name}`).join(', ')}`,
    );
  }
}
