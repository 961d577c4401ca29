import { hasErrors, isBlocked, type Problem } from '../../model/problem.ts';
import { isNarrowed } from '../../plan/change/plan.ts';
import { encodePlan } from '../../plan/saved/decode-plan.ts';
import { redact } from '../../plan/secrets/redact.ts';
import { onOneLine } from '../../report/escape.ts';
import { makePlanReport } from '../../report/view/plan-report.ts';
import { renderProblems } from '../../report/text/problems-text.ts';
import { catalog } from '../../schema/kinds/index.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { commandLine } from '../present/command-line.ts';
import { explained } from '../present/explained.ts';
import { EXIT, UsageError, VERDICTS, type ExitCode, type FailureCode, type Io } from '../io.ts';
import { openGateway, openSnapshot } from '../connect/live.ts';
import { conclude, emit, parseOutput, type Output } from '../present/output.ts';
import { planKey, seal } from '../plan-file.ts';
import { planFrom, type PlanningArgs } from '../planning.ts';
import { openProject, type ProjectArgs } from '../project.ts';
import type { ConnectionArgs } from '../connect/settings.ts';

export type PlanArgs = ProjectArgs &
  ConnectionArgs &
  PlanningArgs & {
    readonly chdir?: string;
    readonly output?: readonly string[];
    readonly out?: string;
    readonly snapshot?: string;
    readonly explain?: string;
    readonly detailedExitcode?: boolean;
  };

/** Compares files with the gateway, or with a snapshot of it, and changes neither. */
export async function plan(paths: readonly string[], args: PlanArgs, io: Io): Promise<ExitCode> {
  const output = parseOutput(args.output);
  refuseToSaveUnbound(args);
  const key = args.out === undefined ? undefined : await planKey(io);
  const project = await openProject(args, io);
  const opened =
    args.snapshot === undefined
      ? await openGateway(args, project, io)
      : await openSnapshot(args.snapshot, args, project, io);
  if ('problems' in opened) return unopened(opened, output, io);
  const { source } = opened;
  try {
    const planned = await planFrom(paths, args, source, opened.project, io);
    const problems = locateProblems([...opened.warnings, ...planned.problems]);
    io.err(renderProblems(problems, io.errPaint));
    const failed = hasErrors(problems);
    if (planned.plan !== undefined && !failed && args.out !== undefined) {
      await io.writeFile(args.out, encodePlan(seal(planned.plan, planned, project, key, io)));
    }
    const shown = planned.plan === undefined ? undefined : redact(planned.plan, catalog.kinds);
    const { cannotTell } = planned;
    const from = opened.snapshot === undefined ? undefined : { ...opened.snapshot, cannotTell };
    const report = makePlanReport(shown, source.url, problems, from);
    // A plan that a safety rule blocks is shown, so that its author can see why.
    const isShown = shown !== undefined && (!failed || isBlocked(problems));
    const text = isShown ? explained(report, args.explain) : () => [];
    await emit({ report, problems, text }, output, io);
    if (args.out !== undefined && !failed) {
      const path = onOneLine(args.out);
      io.err(
        `The plan is in ${path}${key === undefined ? '' : ', signed'}; make it with: ${commandLine(['apply', args.out], args)}\n`,
      );
    }
    await conclude(report.result, io, shown !== undefined && isNarrowed(shown));
    if (failed) return planned.exit;
    return args.detailedExitcode === true && report.result === 'changes' ? EXIT.pending : EXIT.ok;
  } finally {
    await opened.close();
  }
}

function refuseToSaveUnbound({ snapshot, out }: PlanArgs): void {
  if (snapshot === undefined || out === undefined) return;
  throw new UsageError(
    'a saved plan is bound to what the gateway has, and a snapshot is not the gateway: leave out --out',
  );
}

async function unopened(
  { problems: found, exit }: { readonly problems: readonly Problem[]; readonly exit: FailureCode },
  output: Output,
  io: Io,
): Promise<ExitCode> {
  const problems = locateProblems(found);
  io.err(renderProblems(problems, io.errPaint));
  const report = { ...makePlanReport(undefined, '', problems), result: VERDICTS[exit] };
  await emit({ report, problems, text: () => [] }, output, io);
  await conclude(report.result, io);
  return exit;
}
