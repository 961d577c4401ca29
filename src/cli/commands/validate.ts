import { makeValidateReport } from '../../report/view/validate-report.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { validateProject } from '../../workflow/project/validate.ts';
import { type InputArgs, filesOf, openProjectFor, type ProjectArgs } from '../connect/flags.ts';
import { UsageError, type ExitCode, type Io } from '../io.ts';
import { exitCodeOf } from '../present/exit-code.ts';
import { finish } from '../present/finish.ts';
import { parseOutput } from '../present/output.ts';

export type ValidateArgs = ProjectArgs &
  InputArgs & {
    readonly output?: readonly string[];
    readonly failOn?: string;
  };

/** Finds every mistake that can be found without a gateway. */
export async function validate(paths: readonly string[], args: ValidateArgs, io: Io): Promise<ExitCode> {
  const output = parseOutput(args.output);
  const failOn = parseFailOn(args.failOn);
  const project = await openProjectFor(args, io);
  const found = await validateProject(io, project, filesOf(paths, args, project, io));
  const problems = locateProblems(found.problems);
  const report = makeValidateReport(found.resources, problems, failOn);
  const { result } = report;
  return finish({ result, code: exitCodeOf(result), problems, view: { report, problems } }, io, output);
}

function parseFailOn(text = 'error'): 'error' | 'warning' {
  if (text !== 'error' && text !== 'warning')
    throw new UsageError(`expected --fail-on error or warning; found ${text}`);
  return text;
}
