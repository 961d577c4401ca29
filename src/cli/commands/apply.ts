import { bindPlan } from '../../apply/verify/check-plan.ts';
import { hasErrors } from '../../model/problem.ts';
import { redact } from '../../plan/secrets/redact.ts';
import { makeUndo } from '../../plan/undo/undo.ts';
import { catalog } from '../../schema/kinds/index.ts';
import { applySaved } from '../apply-saved.ts';
import { refusal } from '../present/approval.ts';
import { carryOut, checkAndCarryOut } from '../carry-out.ts';
import { finish, tellFirst } from '../present/finish.ts';
import { EXIT, UsageError, type ExitCode, type Io } from '../io.ts';
import { showPlan } from '../present/output.ts';
import { liveOn } from '../connect/live.ts';
import { planKey, seal } from '../plan-file.ts';
import { foreignPlan, runToResume } from '../resume.ts';
import { planFrom, type PlanningArgs } from '../planning.ts';
import { withGateway, type RunArgs, type Running } from '../connect/open-run.ts';
import { wrongTarget } from '../target.ts';
import { sayLosses } from '../present/undo-hint.ts';

export type ApplyArgs = RunArgs &
  PlanningArgs & {
    readonly autoApprove?: boolean;
    /** A run, or true for the newest one. */
    readonly resume?: string | true;
  };

/** Carries out a saved plan, or the rest of one; or plans, shows, asks and carries out. */
export async function apply(planFile: string | undefined, args: ApplyArgs, io: Io): Promise<ExitCode> {
  const { resume } = args;
  if (planFile !== undefined && resume !== undefined) {
    throw new UsageError('a run has a plan of its own: give --resume, or the file of a plan');
  }
  if (planFile !== undefined || resume !== undefined) refusePlanningFlags(args);
  else if (args.autoApprove !== true && !io.interactive) {
    throw new UsageError('there is no terminal to ask on: give --auto-approve, or apply a saved plan');
  }
  return withGateway(args, io, (run) => {
    if (resume !== undefined) return goOnWith(resume, run);
    return planFile === undefined ? planAndApply(args, run) : applySaved(planFile, run);
  });
}

async function planAndApply(args: ApplyArgs, run: Running): Promise<ExitCode> {
  const { gateway, io, output } = run;
  const elsewhere = wrongTarget(undefined, gateway.url, run.project);
  if (elsewhere !== undefined) return finish(run, 'stale', undefined, [], [elsewhere]);
  const key = run.journal === undefined ? undefined : await planKey(io);
  const planned = await planFrom([], args, liveOn(gateway), run.project, io);
  const plan = planned.plan;
  const isBlocked = planned.exit === EXIT.blocked;
  if (plan === undefined || (hasErrors(planned.problems) && !isBlocked)) {
    return finish(run, isBlocked ? 'blocked' : 'error', undefined, [], planned.problems);
  }
  const shown = redact(plan, catalog.kinds);
  showPlan(shown, output, io);
  if (hasErrors(planned.problems)) return finish(run, 'blocked', shown, [], planned.problems);
  const task = {
    ...bindPlan(plan, catalog.kinds),
    shown,
    problems: planned.problems,
    saved: () => seal(plan, planned, run.project, key, io),
  };
  if (plan.changes.length === 0) return finish(run, 'no-changes', shown, [], planned.problems);
  const told = tellFirst(run, planned.problems);
  if (args.autoApprove === true) return carryOut(told, task);
  if (run.journal !== undefined) sayLosses(makeUndo(plan.changes, catalog.kinds), io);
  const refused = await refusal(`Make these changes on ${gateway.url}?`, told);
  if (refused !== undefined) return finish(told, refused, shown, [], planned.problems);
  // Somebody may have changed something while the question stood.
  return checkAndCarryOut(told, { ...task, lossesSaid: true });
}

async function goOnWith(resume: string | true, run: Running): Promise<ExitCode> {
  const { value: resumable, problems } = await runToResume(resume, run);
  if (resumable === undefined) return finish(run, 'error', undefined, [], problems);
  const { planFile, journal, back } = resumable;
  return applySaved(planFile, run, {
    resumes: journal,
    ...(back === undefined ? {} : { back }),
    deleted: journal.deleted,
    fault: (saved) => (saved.digest === journal.started.plan ? undefined : foreignPlan(planFile, journal)),
  });
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
