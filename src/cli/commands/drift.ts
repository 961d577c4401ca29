import { isNarrowed } from '../../plan/change/plan.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { openSnapshot } from '../../workflow/live/live-source.ts';
import { detectDrift, type DriftResult } from '../../workflow/plan/drift.ts';
import { findLastWritten } from '../../workflow/run/last-written.ts';
import { filesOf, journalFolder } from '../connect/read-flags.ts';
import type { Run } from '../given.ts';

/** Reports what is live and not as declared. */
export const run: Run<'drift'> = async ({ operand: paths, args, io, openWorkspace, openLive }) => {
  const { target, exclude, manages } = args;
  const workspace = await openWorkspace(args);
  const opened = await openLive(args, workspace);
  const before =
    args.since === undefined ? undefined : await openSnapshot(io, workspace, args.since, { mayBeOld: true });
  const folder = journalFolder(args, workspace, io);
  const find = (): Promise<DriftResult> => {
    if ('problems' in opened) return detectDrift(io, workspace, opened);
    if (before !== undefined && 'failed' in before)
      return detectDrift(io, workspace, { problems: before.problems, result: before.failed });
    return detectDrift(io, workspace, opened.source, {
      ...filesOf(paths, args, workspace, io),
      ...{ target, exclude, manages, warnings: opened.warnings, since: before?.value },
      ...(folder === undefined
        ? {}
        : { lastWritten: () => findLastWritten(io, workspace.catalog, folder, opened.source.url) }),
    });
  };
  const found = await find();
  const { outcome: report, compared } = found;
  const problems = locateProblems(found.problems);
  return {
    view: { report, problems, text: compared === undefined ? () => [] : undefined },
    changes: compared?.split.drift.length,
    isNarrowed: compared !== undefined && isNarrowed(compared.plan),
  };
};
