import { hasErrors, type Problem } from '../../model/problem.ts';
import { isNarrowed } from '../../plan/change/plan.ts';
import { inputDigest, type SavedPlan } from '../../plan/saved/saved-plan.ts';
import { redact } from '../../plan/secrets/redact.ts';
import { onOneLine } from '../../report/escape.ts';
import { makePlanReport } from '../../report/view/plan-report.ts';
import { renderProblems } from '../../report/text/problems-text.ts';
import { catalog } from '../../schema/kinds/index.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { explained } from '../present/explained.ts';
import { EXIT, type ExitCode, type Io } from '../io.ts';
import { conclude, emit, parseOutput } from '../present/output.ts';
import { openPlan } from '../plan-file.ts';

export type ShowArgs = {
  readonly output?: readonly string[];
  readonly explain?: string;
  readonly file?: readonly string[];
};

/** Renders a saved plan, offline; with files, says whether it was made of them. */
export async function show(path: string, args: ShowArgs, io: Io): Promise<ExitCode> {
  const output = parseOutput(args.output);
  const { value: saved, problems: found } = await openPlan(path, io);
  const { file: paths } = args;
  const other = saved === undefined || paths === undefined ? [] : await inputProblems(saved, paths, io);
  const problems = locateProblems([...found, ...other]);
  io.err(renderProblems(problems, io.errPaint));
  const shown = saved === undefined ? undefined : redact({ ...saved, counts: saved.summary }, catalog.kinds);
  const report = makePlanReport(shown, saved?.gateway ?? '', problems);
  const text = shown === undefined ? () => [] : explained(report, args.explain);
  if (saved !== undefined) io.err(originText(saved, hasErrors(problems) ? undefined : paths));
  await emit({ report, problems, text }, output, io);
  await conclude(report.result, io, shown !== undefined && isNarrowed(shown));
  return hasErrors(problems) ? EXIT.failed : EXIT.ok;
}

function originText({ tool, createdAt, environment }: SavedPlan, of: readonly string[] | undefined): string {
  const where = environment === undefined ? '' : ` for the environment ${environment}`;
  const from = of === undefined ? '' : `, of what is in ${of.join(', ')}`;
  return `${onOneLine(`Made by ${tool} at ${createdAt}${where}${from}.`)}\n`;
}

/** Whether a plan was made of just these files, named as they were for `plan`. */
async function inputProblems(
  saved: SavedPlan,
  paths: readonly string[],
  io: Io,
): Promise<readonly Problem[]> {
  const { value: files, problems } = await io.readSources(paths);
  if (hasErrors(problems) || inputDigest(files, saved.salt) === saved.input) return problems;
  return [
    {
      code: 'other-input',
      severity: 'error',
      message: `the plan was made of something else than ${paths.join(', ')}`,
      hint: 'check out what it was made of and name it as it was named for plan; or plan again',
    },
  ];
}
