import { applyProject } from '../../workflow/run/apply.ts';
import { applySavedPlan } from '../../workflow/run/apply-saved.ts';
import { resumeRun } from '../../workflow/run/resume.ts';
import { filesOf, limitsOf, type InputArgs, type LimitArgs } from '../connect/flags.ts';
import { UsageError, type ExitCode, type Io } from '../io.ts';
import { runOnGateway, type RunArgs } from './run-on-gateway.ts';
import type { ScopeArgs } from './plan.ts';

export type ApplyArgs = RunArgs &
  InputArgs &
  ScopeArgs &
  LimitArgs & {
    readonly expectCommit?: string;
    /** A run, or true for the newest one. */
    readonly resume?: string | true;
  };

/** Applies a saved plan, or the rest of one; or plans, shows, asks and applies. */
export async function apply(planFile: string | undefined, args: ApplyArgs, io: Io): Promise<ExitCode> {
  const { resume } = args;
  if (planFile !== undefined && resume !== undefined)
    throw new UsageError('a run has its own plan: give --resume, or the file of a plan');
  const expectCommit = args.expectCommit ?? (io.env('GWCONF_EXPECT_COMMIT') || undefined);
  if (args.expectCommit !== undefined && planFile === undefined)
    throw new UsageError('--expect-commit is about a saved plan: give the file of one');
  if (resume !== undefined) {
    refusePlanningFlags(args);
    return runOnGateway(args, io, { showsPlan: false, asks: false }, ({ project, gateway, options }) =>
      resumeRun(io, project, gateway, resume === true ? undefined : resume, { ...options, expectCommit }),
    );
  }
  if (planFile !== undefined) {
    refusePlanningFlags(args, ['manages', 'maxDeletes', 'maxUpdates']); // which the job that applies may decide
    const { manages } = args;
    const conditions = { manages, limits: limitsOf(args), expectCommit };
    return runOnGateway(args, io, { showsPlan: false, asks: false }, ({ project, gateway, options }) =>
      applySavedPlan(io, project, gateway, planFile, { ...options, ...conditions }),
    );
  }
  const asks = args.autoApprove !== true;
  if (asks && !io.interactive)
    throw new UsageError('there is no terminal to ask on: give --auto-approve, or apply a saved plan');
  const { target, exclude, manages } = args;
  return runOnGateway(args, io, { showsPlan: true, asks }, ({ project, gateway, options }) => {
    const planning = { ...filesOf([], args, project, io), target, exclude, manages, limits: limitsOf(args) };
    return applyProject(io, project, gateway, { ...planning, ...options });
  });
}

const PLANNING = {
  file: '--file',
  target: '--target',
  exclude: '--exclude',
  prune: '--prune',
  manages: '--manages',
  allowEmpty: '--allow-empty',
  maxDeletes: '--max-deletes',
  maxUpdates: '--max-updates',
} as const satisfies { readonly [flag in keyof ApplyArgs]?: string };

function refusePlanningFlags(args: ApplyArgs, allowed: readonly (keyof typeof PLANNING)[] = []): void {
  const flags = Object.keys(PLANNING) as readonly (keyof typeof PLANNING)[];
  const given = flags.filter((flag) => args[flag] !== undefined && !allowed.includes(flag));
  if (given.length > 0)
    throw new UsageError(
      `a saved plan is complete; leave out ${given.map((flag) => PLANNING[flag]).join(', ')}`,
    );
}
