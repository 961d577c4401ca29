import { makeDriftReport } from '../../outcome/drift.ts';
import { isNarrowed } from '../../plan/change/plan.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { detectDrift } from '../../workflow/plan/drift.ts';
import { filesOf } from '../connect/flags.ts';
import type { Run } from '../given.ts';

/** Reports what is live and not as declared. */
export const run: Run<'drift'> = async ({ operand: paths, args, io, openWorkspace, openLive }) => {
  const { target, exclude, manages } = args;
  const workspace = await openWorkspace(args);
  const opened = await openLive(args, workspace);
  if (!('source' in opened)) {
    const problems = locateProblems(opened.problems);
    const report = makeDriftReport(undefined, '', problems, workspace.environment?.name);
    return { view: { report, problems, text: () => [] } };
  }
  const { source, warnings } = opened;
  const options = { ...filesOf(paths, args, workspace, io), target, exclude, manages, warnings };
  const { outcome: report, compared, problems: found } = await detectDrift(io, workspace, source, options);
  const problems = locateProblems(found);
  return {
    view: { report, problems, text: compared === undefined ? () => [] : undefined },
    changes: compared?.split.drift.length,
    isNarrowed: compared !== undefined && isNarrowed(compared.plan),
  };
};
