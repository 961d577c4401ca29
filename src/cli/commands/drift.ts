import { isNarrowed } from '../../plan/change/plan.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { detectDrift } from '../../workflow/plan/drift.ts';
import { findLastWritten } from '../../workflow/run/last-written.ts';
import { filesOf, journalFolder } from '../connect/read-flags.ts';
import type { Run } from '../given.ts';

/** Reports what is live and not as declared. */
export const run: Run<'drift'> = async ({ operand: paths, args, io, openWorkspace, openLive }) => {
  const { target, exclude, manages } = args;
  const workspace = await openWorkspace(args);
  const opened = await openLive(args, workspace);
  const folder = journalFolder(args, workspace, io);
  const found =
    'problems' in opened
      ? await detectDrift(io, workspace, opened)
      : await detectDrift(io, workspace, opened.source, {
          ...filesOf(paths, args, workspace, io),
          ...{ target, exclude, manages, warnings: opened.warnings },
          ...(folder === undefined
            ? {}
            : { lastWritten: () => findLastWritten(io, workspace.catalog, folder, opened.source.url) }),
        });
  const { outcome: report, compared } = found;
  const problems = locateProblems(found.problems);
  return {
    view: { report, problems, text: compared === undefined ? () => [] : undefined },
    changes: compared?.split.drift.length,
    isNarrowed: compared !== undefined && isNarrowed(compared.plan),
  };
};
