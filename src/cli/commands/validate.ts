import { locateProblems } from '../../schema/load/locate.ts';
import { validateEnvironments, validateProject } from '../../workflow/project/validate.ts';
import { checkTopicsPath, filesOf, inputOf } from '../connect/read-flags.ts';
import type { Run } from '../given.ts';
import { UsageError } from '../io.ts';

/** Finds every mistake that can be found without a gateway; of all environments, if none is chosen. */
export const run: Run<'validate'> = async ({ operand: paths, args, io, openWorkspace }) => {
  const failOn = parseFailOn(args.failOn);
  const { topics } = args;
  checkTopicsPath([...(args.file ?? []), ...paths], topics);
  const workspace = await openWorkspace(args);
  const isForAll = paths.length === 0 && args.file === undefined && workspace.environment === undefined;
  const ofAll = isForAll
    ? await validateEnvironments(io, workspace, { ...inputOf([], args), failOn, topics })
    : undefined;
  if (ofAll !== undefined) return { view: { report: ofAll.outcome, problems: ofAll.problems } };
  const files = filesOf(paths, args, workspace, io);
  const { outcome, problems } = await validateProject(io, workspace, { ...files, failOn, topics });
  return { view: { report: outcome, problems: locateProblems(problems) } };
};

function parseFailOn(text: string): 'error' | 'warning' {
  if (text !== 'error' && text !== 'warning')
    throw new UsageError(`expected --fail-on error or warning; found ${text}`);
  return text;
}
