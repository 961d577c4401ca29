import { applyProject } from '../../workflow/run/apply.ts';
import { applySavedPlan } from '../../workflow/run/apply-saved.ts';
import { resumeRun } from '../../workflow/run/resume.ts';
import { inputOf, limitsOf, type InputArgs, type LimitArgs } from '../connect/flags.ts';
import { UsageError, type ExitCode, type Io } from '../io.ts';
import { runOnGateway, type RunArgs } from './run-on-gateway.ts';
import type { ScopeArgs } from './plan.ts';

export type ApplyArgs = RunArgs &
  InputArgs &
  ScopeArgs &
  LimitArgs & {
    /** A run, or true for the newest one. */
    readonly resume?: string | true;
  };

/** Applies a saved plan, or the rest of one; or plans, shows, asks and applies. */
export async function apply(planFile: string | undefined, args: ApplyArgs, io: Io): Promise<ExitCode> {
  const { resume } = args;
  if (planFile !== undefined && resume !== undefined)
    throw new UsageError('a run has its own plan: give --resume, or the file of a plan');
  if (resume !== undefined) {
    refusePlanningFlags(args);
    return runOnGateway(args, io, { showsPlan: false, asks: false }, ({ project, gateway, options }) =>
      resumeRun(io, project, gateway, resume === true ? undefined : resume, options),
    );
  }
  if (planFile !== undefined) {
    refusePlanningFlags(args);
    return runOnGateway(args, io, { showsPlan: false, asks: false }, ({ project, gateway, options }) =>
      applySavedPlan(io, project, gateway, planFile, options),
    );
  }
  const asks = args.autoApprove !== true;
  if (asks && !io.interactive)
    throw new UsageError('there is no terminal to ask on: give --auto-approve, or apply a saved plan');
  const { target, exclude, manages } = args;
  return runOnGateway(args, io, { showsPlan: true, asks }, ({ project, gateway, options }) => {
    const planning = { ...inputOf([], args), target, exclude, manages, limits: limitsOf(args) };
    return applyProject(io, project, gateway, { ...planning, ...options });
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
      `a saved plan is complete; leave out ${given.map(([name]) => `--${name}`).join(', ')}`,
    );
  }
}
