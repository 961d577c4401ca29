import {
  catalog,
  checkReferences,
  hasErrors,
  locateProblems,
  problemsText,
  validateReport,
} from '../../index.ts';
import { loadInput, type InputArgs } from '../input.ts';
import { EXIT, UsageError, type ExitCode, type Io } from '../io.ts';
import { conclude, emit, parseOutput } from '../output.ts';

export type ValidateArgs = InputArgs & {
  readonly output?: readonly string[];
  readonly failOn?: string;
};

/** Finds every mistake that can be found without a gateway. */
export async function validate(paths: readonly string[], args: ValidateArgs, io: Io): Promise<ExitCode> {
  const output = parseOutput(args.output);
  if (args.failOn !== undefined && !['error', 'warning'].includes(args.failOn)) {
    throw new UsageError(`expected --fail-on error or warning; found ${args.failOn}`);
  }
  const desired = await loadInput(paths, args, io);
  const problems = locateProblems([...desired.problems, ...checkReferences(desired.value, catalog.kinds)]);
  io.err(problemsText(problems, io.errPaint));
  const report = validateReport(desired.value.size, problems);
  const { resources, errors, warnings } = report.summary;
  const counts = `${resources} resources, ${errors} errors, ${warnings} warnings`;
  await emit(
    report,
    () => `${io.outPaint.bold(report.result === 'valid' ? 'Valid' : 'Not valid')}: ${counts}.\n`,
    output,
    io,
  );
  await conclude(report.result, io);
  const warned = args.failOn === 'warning' && warnings > 0;
  return hasErrors(problems) || warned ? EXIT.failed : EXIT.ok;
}
