import {
  catalog,
  encodePlan,
  hasErrors,
  isBlocked,
  isNarrowed,
  locateProblems,
  onOneLine,
  planReport,
  problemsText,
  redact,
  type Problem,
} from '../../index.ts';
import { tryConnectToRead } from '../connect.ts';
import { explained } from '../explained.ts';
import { EXIT, type ExitCode, type Io } from '../io.ts';
import { conclude, emit, parseOutput, type Output } from '../output.ts';
import { planKey, seal } from '../plan-file.ts';
import { planFrom, type PlanningArgs } from '../planning.ts';
import { openProject, type ProjectArgs } from '../project.ts';
import type { ConnectionArgs } from '../settings.ts';

export type PlanArgs = ProjectArgs &
  ConnectionArgs &
  PlanningArgs & {
    readonly output?: readonly string[];
    readonly out?: string;
    readonly explain?: string;
    readonly detailedExitcode?: boolean;
  };

/** Compares files with the gateway, and changes neither. */
export async function plan(paths: readonly string[], args: PlanArgs, io: Io): Promise<ExitCode> {
  const output = parseOutput(args.output);
  const key = args.out === undefined ? undefined : await planKey(io);
  const project = await openProject(args, io);
  const connected = await tryConnectToRead(args, io, project);
  if ('problems' in connected) return unconnected(connected, output, io);
  const { gateway, warnings } = connected;
  try {
    const planned = await planFrom(paths, args, gateway, project, io);
    const problems = locateProblems([...warnings, ...planned.problems]);
    io.err(problemsText(problems, io.errPaint));
    const failed = hasErrors(problems);
    if (planned.plan !== undefined && !failed && args.out !== undefined) {
      await io.writeFile(args.out, encodePlan(seal(planned.plan, planned, project, key, io)));
    }
    const shown = planned.plan === undefined ? undefined : redact(planned.plan, catalog.kinds);
    const report = planReport(shown, gateway.url, problems);
    // A plan that a safety rule stops is shown: how else would anybody judge whether it is meant?
    const isShown = !failed || isBlocked(problems);
    const human = (): Iterable<string> =>
      shown === undefined || !isShown ? [] : explained(shown, args.explain, io.outPaint);
    await emit({ report, problems, human }, output, io);
    if (args.out !== undefined && !failed) {
      const path = onOneLine(args.out);
      io.err(
        `The plan is in ${path}${key === undefined ? '' : ', signed'}; make it with: gwconf apply ${path}\n`,
      );
    }
    await conclude(report.result, io, shown !== undefined && isNarrowed(shown));
    if (failed) return planned.exit;
    return args.detailedExitcode === true && report.result === 'changes' ? EXIT.pending : EXIT.ok;
  } finally {
    await gateway.close();
  }
}

async function unconnected(
  { problems: found, exit }: { readonly problems: readonly Problem[]; readonly exit: ExitCode },
  output: Output,
  io: Io,
): Promise<ExitCode> {
  const problems = locateProblems(found);
  io.err(problemsText(problems, io.errPaint));
  await emit({ report: planReport(undefined, '', problems), problems, human: () => [] }, output, io);
  await conclude('error', io);
  return exit;
}
