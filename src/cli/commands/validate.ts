import { type LocatedProblem, applyLint } from '../../model/problem.ts';
import { makeValidateReport } from '../../outcome/validate.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { openEach } from '../../workflow/project/open-workspace.ts';
import type { Workspace } from '../../workflow/project/workspace.ts';
import { mergeProblems, validateProject } from '../../workflow/project/validate.ts';
import { filesOf } from '../connect/flags.ts';
import type { Run } from '../given.ts';
import { UsageError, type Io } from '../io.ts';
import type { Args } from '../table/commands.ts';

/** Finds every mistake that can be found without a gateway; of all environments, if none is chosen. */
export const run: Run<'validate'> = async ({ operand: paths, args, io, openWorkspace }) => {
  const failOn = parseFailOn(args.failOn);
  const workspace = await openWorkspace(args);
  const { resources, problems, environments } =
    paths.length === 0 && args.file === undefined && workspace.environment === undefined
      ? await validateAll(workspace, args, io)
      : await validateOne(paths, workspace, args, io);
  const report = makeValidateReport(resources, problems, failOn, environments);
  return { view: { report, problems } };
};

type Found = {
  readonly resources: number;
  readonly problems: readonly LocatedProblem[];
  readonly environments?: readonly string[];
};

async function validateOne(
  paths: readonly string[],
  workspace: Workspace,
  args: Args<'validate'>,
  io: Io,
): Promise<Found> {
  const { resources, problems } = await validateProject(io, workspace, filesOf(paths, args, workspace, io));
  return { resources, problems: locateProblems(problems) };
}

/** Every environment that has files. */
async function validateAll(workspace: Workspace, args: Args<'validate'>, io: Io): Promise<Found> {
  const found = new Map<string, Found>();
  for (const [name, one] of openEach(io, workspace)) found.set(name, await validateOne([], one, args, io));
  if (found.size === 0) return validateOne([], workspace, args, io);
  const merged = mergeProblems(new Map([...found].map(([name, { problems }]) => [name, problems])));
  return {
    resources: [...found.values()].reduce((sum, { resources }) => sum + resources, 0),
    problems: [...locateProblems(applyLint(workspace.problems, workspace.project.lint)), ...merged],
    environments: [...found.keys()],
  };
}

function parseFailOn(text: string): 'error' | 'warning' {
  if (text !== 'error' && text !== 'warning')
    throw new UsageError(`expected --fail-on error or warning; found ${text}`);
  return text;
}
