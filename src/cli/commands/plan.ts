import {
  catalog,
  encodePlan,
  hasErrors,
  locateProblems,
  planReport,
  planText,
  problemsText,
  redact,
  sealPlan,
} from '../../index.ts';
import { connect, type ConnectionArgs } from '../connect.ts';
import { EXIT, type ExitCode, type Io } from '../io.ts';
import { conclude, emit, parseOutput } from '../output.ts';
import { planFrom, type PlanningArgs } from '../planning.ts';
import { TOOL } from '../version.ts';

export type PlanArgs = ConnectionArgs &
  PlanningArgs & {
    readonly output?: readonly string[];
    readonly out?: string;
    readonly detailedExitcode?: boolean;
  };

/** Compares files with the gateway, and changes neither. */
export async function plan(paths: readonly string[], args: PlanArgs, io: Io): Promise<ExitCode> {
  const output = parseOutput(args.output);
  const gateway = await connect(args, io);
  try {
    const planned = await planFrom(paths, args, gateway, io);
    const problems = locateProblems(planned.problems);
    io.err(problemsText(problems, io.errPaint));
    const failed = hasErrors(problems);
    if (planned.plan !== undefined && !failed && args.out !== undefined) {
      const about = { tool: TOOL, createdAt: io.now().toISOString(), salt: io.random() };
      await io.writeFile(args.out, encodePlan(sealPlan(planned.plan, planned.desired, catalog.kinds, about)));
    }
    const shown = planned.plan === undefined ? undefined : redact(planned.plan, catalog.kinds);
    const report = planReport(shown, gateway.url, problems);
    await emit(report, () => (shown === undefined || failed ? '' : planText(shown, io.outPaint)), output, io);
    if (args.out !== undefined && !failed)
      io.err(`The plan is in ${args.out}; make it with: gwconf apply ${args.out}\n`);
    await conclude(report.result, io);
    if (failed) return planned.exit;
    return args.detailedExitcode === true && report.result === 'changes' ? EXIT.pending : EXIT.ok;
  } finally {
    await gateway.close();
  }
}
