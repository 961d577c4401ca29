import { openSavedPlan } from '../../workflow/plan/saved-plan.ts';
import { openBeside } from '../../workflow/project/open-workspace.ts';
import type { Workspace } from '../../workflow/project/workspace.ts';
import { applyProject } from '../../workflow/run/apply.ts';
import { applySavedPlan } from '../../workflow/run/apply-saved.ts';
import { checkRun } from '../../workflow/run/find-run.ts';
import { resumeRun } from '../../workflow/run/resume.ts';
import { checkTopicsPath, filesOf, journalFolder, limitsOf, PLANNING } from '../connect/read-flags.ts';
import type { Run } from '../given.ts';
import { requireTerminal, UsageError, type Io } from '../io.ts';
import type { Args } from '../table/commands.ts';
import { flagOf } from '../table/flag.ts';
import { runOnGateway } from './run-on-gateway.ts';

/** Applies a saved plan, or the rest of one; or plans, shows, asks and applies. */
export const run: Run<'apply'> = async (given) => {
  const { operand: planFile, args, io } = given;
  const { resume } = args;
  if (planFile !== undefined && resume !== undefined)
    throw new UsageError(
      '--resume continues the plan of a run: leave out the saved plan, or leave out --resume',
    );
  const expectCommit = args.expectCommit ?? io.env('GWCONF_EXPECT_COMMIT');
  if (expectCommit === '')
    throw new UsageError('the expected commit is empty: give it, or unset GWCONF_EXPECT_COMMIT');
  if (args.expectCommit !== undefined && planFile === undefined)
    throw new UsageError('--expect-commit needs a saved plan: name its file');
  if (planFile !== undefined || resume !== undefined) {
    refusePlanningFlags(args);
    const { manages, acceptExposure } = args;
    const limits = limitsOf(args);
    const openWorkspace: typeof given.openWorkspace = async (flags) =>
      inEnvironmentOf(planFile, await given.openWorkspace(flags), io);
    const stage = { ...given, openWorkspace };
    const check = async (workspace: Workspace): Promise<void> => {
      if (planFile === undefined)
        await checkRun(io, journalFolder(args, workspace, io), resume === true ? undefined : resume);
      else if (!io.exists(planFile)) await openSavedPlan(io, planFile);
    };
    return runOnGateway(
      stage,
      { showsPlan: false, asks: false, check },
      ({ workspace, gateway, options }) => {
        const conditions = { ...options, manages, limits, acceptExposure, expectCommit };
        return planFile === undefined
          ? resumeRun(io, workspace, gateway, resume === true ? undefined : resume, conditions)
          : applySavedPlan(io, workspace, gateway, planFile, conditions);
      },
    );
  }
  const asks = args.autoApprove !== true;
  if (asks) requireTerminal(io, '--auto-approve, or apply a saved plan');
  const { target, exclude, manages, acceptExposure, topics, file = [] } = args;
  checkTopicsPath(file, topics);
  return runOnGateway(given, { showsPlan: true, asks }, ({ workspace, gateway, options }) => {
    const rules = { manages, limits: limitsOf(args), acceptExposure };
    const planning = { ...filesOf([], args, workspace, io), target, exclude, topics, ...rules };
    return applyProject(io, workspace, gateway, { ...planning, ...options });
  });
};

/** A saved plan says which environment it is for, where gwconf.yaml has several and nobody chose one. */
async function inEnvironmentOf(
  planFile: string | undefined,
  workspace: Workspace,
  io: Io,
): Promise<Workspace> {
  const { environment, project } = workspace;
  if (planFile === undefined || environment !== undefined || project.filesByEnvironment.size === 0)
    return workspace;
  const { value, problems } = await openSavedPlan(io, planFile);
  // An altered plan names no environment: that is its fault, and not that of a URL that is missing.
  if (value === undefined) return { ...workspace, problems: [...workspace.problems, ...problems] };
  const name = value.environment;
  return name !== undefined && project.filesByEnvironment.has(name)
    ? openBeside(io, workspace, name)
    : workspace;
}

function refusePlanningFlags(args: Args<'apply'>): void {
  const given = PLANNING.filter((flag) => args[flag] !== undefined);
  if (given.length > 0)
    throw new UsageError(`a saved plan is complete; leave out ${given.map(flagOf).join(', ')}`);
}
