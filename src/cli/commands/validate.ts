import { judge } from '../../model/severity.ts';
import { checkWorld } from '../../plan/checks/checks.ts';
import { validateReport } from '../../report/json/reports.ts';
import { problemsText } from '../../report/text/problems-text.ts';
import { catalog } from '../../schema/kinds/index.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { loadInput, todayOf, type InputArgs } from '../input.ts';
import { EXIT, UsageError, type ExitCode, type Io } from '../io.ts';
import { openProject, type ProjectArgs } from '../project.ts';
import { conclude, emit, parseOutput } from '../present/output.ts';

export type ValidateArgs = ProjectArgs &
  InputArgs & {
    readonly output?: readonly string[];
    readonly failOn?: string;
  };

/** Finds every mistake that can be found without a gateway. */
export async function validate(paths: readonly string[], args: ValidateArgs, io: Io): Promise<ExitCode> {
  const output = parseOutput(args.output);
  const failOn = parseFailOn(args.failOn);
  const project = await openProject(args, io);
  const { value: desired, declared, removals, problems: inFiles } = await loadInput(paths, args, project, io);
  const { environment: rules = {}, lint } = project;
  const found = checkWorld({ desired, declared, removals, rules, kinds: catalog.kinds, today: todayOf(io) });
  const problems = locateProblems([...inFiles, ...judge(found, lint)]);
  io.err(problemsText(problems, io.errPaint));
  const report = validateReport(declared.size, problems, failOn);
  const { resources, errors, warnings } = report.summary;
  const counts = `${counted(resources, 'resource')}, ${counted(errors, 'error')}, ${counted(warnings, 'warning')}`;
  const human = (): string =>
    `${io.outPaint.bold(report.result === 'valid' ? 'Valid' : 'Not valid')}: ${counts}.\n`;
  await emit({ report, problems, human: () => [human()] }, output, io);
  await conclude(report.result, io);
  return report.result === 'valid' ? EXIT.ok : EXIT.failed;
}

function parseFailOn(text = 'error'): 'error' | 'warning' {
  if (text !== 'error' && text !== 'warning')
    throw new UsageError(`expected --fail-on error or warning; found ${text}`);
  return text;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
