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
  const isOpen = 'source' in opened;
  const options = { ...filesOf(paths, args, workspace, io), target, exclude, manages };
  const found = isOpen ? await detectDrift(io, workspace, opened.source, options) : opened;
  const compared = 'compared' in found ? found.compared : undefined;
  const problems = locateProblems([...(isOpen ? opened.warnings : []), ...found.problems]);
  const url = isOpen ? opened.source.url : '';
  const report = makeDriftReport(compared, url, problems, workspace.environment?.name);
  return {
    view: { report, problems, text: compared === undefined ? () => [] : undefined },
    changes: compared?.judged.drift.length,
    isNarrowed: compared !== undefined && isNarrowed(compared.plan),
  };
};
