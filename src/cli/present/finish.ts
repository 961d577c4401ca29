import type { LocatedProblem } from '../../model/problem.ts';
import type { View } from '../../report/formats.ts';
import { renderProblems } from '../../report/text/problems-text.ts';
import type { ExitCode, Io } from '../io.ts';
import { emit, type Output } from './output.ts';

/** How a command ends. */
export type Ending = {
  /** One word. */
  readonly result: string;
  readonly code: ExitCode;
  /** Those to print; problems that were printed before are in the view alone. */
  readonly problems?: readonly LocatedProblem[];
  readonly view?: View;
  /** Printed after the view. */
  readonly hints?: string;
  /** Whether flags narrowed what was looked at. */
  readonly isNarrowed?: boolean;
};

/** Ends a command: problems, the view in each format, hints, the result, and the exit code. */
export async function finish(
  { result, code, problems = [], view, hints = '', isNarrowed = false }: Ending,
  io: Io,
  output: Output = { stdout: 'human', files: [] },
): Promise<ExitCode> {
  io.err(renderProblems(problems, io.errPaint));
  if (view !== undefined) await emit(view, output, io);
  io.err(hints);
  await printResult(result, io, isNarrowed);
  return code;
}

/** The result as the last line of stderr, and in GITHUB_OUTPUT, for wrappers that lose the exit code. */
export async function printResult(result: string, io: Io, isNarrowed = false): Promise<void> {
  const where = isNarrowed && ['no-changes', 'no-drift'].includes(result) ? ' in the selection' : '';
  io.err(`result: ${result}${where}\n`);
  const path = io.env('GITHUB_OUTPUT');
  if (path !== undefined && path !== '') await io.appendFile(path, `result=${result}\n`);
}
