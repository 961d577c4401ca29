import { isNarrowed } from '../../plan/change/plan.ts';
import { makeDriftReport } from '../../outcome/drift.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { detectDrift } from '../../workflow/plan/drift.ts';
import {
  type InputArgs,
  filesOf,
  openWorkspaceFor,
  type ProjectArgs,
  type SourceArgs,
} from '../connect/flags.ts';
import { openGatewaySource } from '../connect/live-source.ts';
import type { ConnectionArgs } from '../connect/settings.ts';
import type { Io } from '../io.ts';
import type { ExitCode } from '../../outcome/verdict.ts';
import { finish } from '../present/finish.ts';
import { parseOutput } from '../present/output.ts';
import type { ScopeArgs } from './plan.ts';

export type DriftArgs = ProjectArgs &
  ConnectionArgs &
  Omit<InputArgs, 'prune'> &
  SourceArgs &
  ScopeArgs & {
    readonly output?: readonly string[];
    readonly detailedExitcode?: boolean;
  };

/** Reports what is live and not as declared. It gets no gateway that can be written to. */
export async function drift(paths: readonly string[], args: DriftArgs, io: Io): Promise<ExitCode> {
  const { target, exclude, manages, detailedExitcode } = args;
  const output = parseOutput(args.output, io);
  const workspace = await openWorkspaceFor(args, io);
  const opened = await openGatewaySource(args, workspace, io);
  const isOpen = 'source' in opened;
  const url = isOpen ? opened.source.url : '';
  try {
    const options = { ...filesOf(paths, args, workspace, io), target, exclude, manages };
    const found = isOpen ? await detectDrift(io, workspace, opened.source, options) : opened;
    const compared = 'compared' in found ? found.compared : undefined;
    const problems = locateProblems([...(isOpen ? opened.warnings : []), ...found.problems]);
    const report = makeDriftReport(compared, url, problems, workspace.environment?.name);
    const { result } = report;
    const text = compared === undefined ? () => [] : undefined;
    const isPartial = compared !== undefined && isNarrowed(compared.plan);
    const view = { report, problems, text };
    const changes = compared?.judged.drift.length;
    const ending = { result, isDetailed: detailedExitcode, changes, problems, view, isNarrowed: isPartial };
    return await finish(ending, io, output);
  } finally {
    if (isOpen) await opened.close();
  }
}
