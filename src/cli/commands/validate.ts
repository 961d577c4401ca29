import { judge } from '../../model/severity.ts';
import { checkWorld } from '../../plan/checks/checks.ts';
import { makeValidateReport } from '../../report/view/validate-report.ts';
import { renderProblems } from '../../report/text/problems-text.ts';
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
  io.err(renderProblems(problems, io.errPaint));
  const report = makeValidateReport(declared.size, problems, failOn);
  await emit({ report, problems }, output, io);
  await conclude(report.result, io);
  return report.result === 'valid' ? EXIT.ok : EXIT.failed;
}

function parseFailOn(text = 'error'): 'error' | 'warning' {
  if (text !== 'error' && text !== 'warning')
    throw new UsageError(`expected --fail-on error or warning; found ${text}`);
  return text;
}
