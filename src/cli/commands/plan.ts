import {
  catalog,
  encodePlan,
  hasErrors,
  isNarrowed,
  locateProblems,
  planReport,
  problemsText,
  redact,
  sealPlan,
  type Problem,
} from '../../index.ts';
import { tryConnect } from '../connect.ts';
import { explained } from '../explained.ts';
import { EXIT, type ExitCode, type Io } from '../io.ts';
import { conclude, emit, parseOutput, type Output } from '../output.ts';
import { planFrom, type PlanningArgs } from '../planning.ts';
import { openProject, type ProjectArgs } from '../project.ts';
import type { ConnectionArgs } from '../settings.ts';
import { TOOL } from '../version.ts';

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
  const project = await openProject(args, io);
  const connected = await tryConnect(args, io, project);
  if ('problems' in connected) return unconnected(connected.problems, output, io);
  const { gateway } = connected;
  try {
    const planned = await planFrom(paths, args, gateway, project, io);
    const problems = locateProblems(planned.problems);
    io.err(problemsText(problems, io.errPaint));
    const failed = hasErrors(problems);
    if (planned.plan !== undefined && !failed && args.out !== undefined) {
      const environment = project.environment?.name;
      const about = {
        tool: TOOL,
        createdAt: io.now().toISOString(),
        salt: io.random(),
        ...(environment === undefined ? {} : { environment }),
      };
      await io.writeFile(args.out, encodePlan(sealPlan(planned.plan, planned.desired, catalog.kinds, about)));
    }
    const shown = planned.plan === undefined ? undefined : redact(planned.plan, catalog.kinds);
    const report = planReport(shown, gateway.url, problems);
    const human = (): string =>
      shown === undefined || failed ? '' : explained(shown, args.explain, io.outPaint);
    await emit({ report, problems, human }, output, io);
    if (args.out !== undefined && !failed)
      io.err(`The plan is in ${args.out}; make it with: gwconf apply ${args.out}\n`);
    await conclude(report.result, io, shown !== undefined && isNarrowed(shown));
    if (failed) return planned.exit;
    return args.detailedExitcode === true && report.result === 'changes' ? EXIT.pending : EXIT.ok;
  } finally {
    await gateway.close();
  }
}

async function unconnected(found: readonly Problem[], output: Output, io: Io): Promise<ExitCode> {
  const problems = locateProblems(found);
  io.err(problemsText(problems, io.errPaint));
  await emit({ report: planReport(undefined, '', problems), problems, human: () => '' }, output, io);
  await conclude('error', io);
  return EXIT.failed;
}
