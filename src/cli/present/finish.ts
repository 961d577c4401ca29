import type { LocatedProblem } from '../../model/problem.ts';
import type { View } from '../../report/formats.ts';
import { renderProblems } from '../../report/text/problems-text.ts';
import { isSystemError } from '../../workflow/system-error.ts';
import type { Io } from '../io.ts';
import { codeAfterLoss, exitCodeOf, type ExitCode, type Result } from '../../outcome/verdict.ts';
import { emit, type Output } from './output.ts';
import { renderUnwritten, type Unwritten } from './unwritten.ts';

/** How a command ends. */
export type Ending = {
  /** That of the view, if there is one. The exit code follows from it. */
  readonly result: Result;
  /** Whether `--detailed-exitcode` is given. */
  readonly isDetailed?: boolean | undefined;
  /** The number of changes that were planned or made, or of objects that drifted, if that is known. */
  readonly changes?: number | undefined;
  /** Those to print; problems that were printed before are in the view alone. */
  readonly problems?: readonly LocatedProblem[];
  readonly view?: View;
  /** Files that could not be written, of a report that is no view. */
  readonly unwritten?: readonly Unwritten[];
  /** Printed after the view. */
  readonly hints?: string;
  /** Whether flags narrowed what was looked at. */
  readonly isNarrowed?: boolean;
};

/** Ends a command: the view in each format; problems, which a long view must not push out of sight; hints, the result, and the exit code. */
export async function finish(
  { result, isDetailed, changes, problems = [], view, hints = '', isNarrowed = false, ...ending }: Ending,
  io: Io,
  output: Output = { stdout: 'human', files: [] },
): Promise<ExitCode> {
  const code = exitCodeOf(result, isDetailed);
  const unwritten = view === undefined ? (ending.unwritten ?? []) : await emit(view, output, io);
  io.err(renderProblems(problems, io.errPaint, io.columns.err));
  io.err(hints);
  const where =
    isNarrowed && ['no-changes', 'no-drift', 'no-differences'].includes(result) ? ' in the selection' : '';
  const lost = await printResult(result, io, { changes, where, unwritten });
  const err = await io.flush('err');
  if (err === undefined) return lost.length > 0 ? codeAfterLoss(code) : code;
  // A report for programs must stay what it is; people are told on stdout.
  if (view !== undefined && output.stdout === 'human')
    io.out(`${renderUnwritten({ to: 'stderr', error: err })}result: ${result}${where}\n`);
  return codeAfterLoss(code);
}

/** What there is to say beside a result. */
type About = Pick<Ending, 'changes'> & {
  readonly where?: string;
  readonly unwritten?: readonly Unwritten[];
};

/**
 * The result as the last line of stderr, and in GITHUB_OUTPUT, for wrappers that lose the exit code. Before it, what output
 * could not be written; returns that.
 */
export async function printResult(
  result: Result,
  io: Io,
  { changes, where = '', unwritten = [] }: About = {},
): Promise<readonly Unwritten[]> {
  const number = changes === undefined ? '' : `changes=${changes}\n`;
  const lost = [...unwritten, ...(await appendOutput(`result=${result}\n${number}`, io))];
  const out = await io.flush('out');
  if (out !== undefined) lost.push({ to: 'stdout', error: out });
  io.err(`${lost.map(renderUnwritten).join('')}result: ${result}${where}\n`);
  return lost;
}

async function appendOutput(text: string, io: Io): Promise<readonly Unwritten[]> {
  const path = io.env('GITHUB_OUTPUT') ?? '';
  if (path === '') return [];
  try {
    await io.appendFile(path, text);
    return [];
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return [{ to: `${path} (GITHUB_OUTPUT)`, error }];
  }
}
