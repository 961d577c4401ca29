import { formatCount } from '../../model/text/list.ts';
import type { LocatedProblem } from '../../model/problem.ts';
import type { RenderOptions, View } from '../../report/formats.ts';
import { isCi } from '../../workflow/ci.ts';
import { isSystemError } from '../../workflow/system-error.ts';
import type { Io } from '../io.ts';
import { codeAfterLoss, EXIT, exitCodeOf, type ExitCode, type Result } from '../../outcome/verdict.ts';
import { emitEach, formatsOf, type Printed, renderUnwritten, type Unwritten } from './output.ts';
import type { Output } from './parse-output.ts';
import { groupBy } from '../../model/collect.ts';
import { meaningOf } from '../../model/problem-codes.ts';
import { renderProblems } from '../../report/text/problems-text.ts';

/** How a command ends. `F` are its formats. */
export type Ending<F extends string = string> = {
  /** The exit code follows from it. Absent: the command answers a question, and has none; or that of the view. */
  readonly result?: Result;
  /** The number of changes that were planned or made, or of objects that drifted, if that is known. */
  readonly changes?: number | undefined;
  /** To print; default: those of the view. */
  readonly problems?: readonly LocatedProblem[];
  readonly view?: View;
  /** Whether the view answers a question, so that nothing is added to it on stdout. */
  readonly isAnswer?: boolean;
  /** In the place of a view. */
  render?(format: F, options: RenderOptions): Printed;
  /** What to do next. */
  readonly hints?: string;
  /** Whether a run has failed in what cannot be made by resuming it. */
  readonly isRefused?: boolean;
  /** Prints the last line of a plan that has been shown. */
  readonly endPlan?: (() => void) | undefined;
  /** Whether flags narrowed what was looked at. */
  readonly isNarrowed?: boolean;
};

/** Whether something could not be compared, and so may differ. */
function isIncomplete(view: View | undefined): boolean {
  if (view === undefined) return false;
  const { report } = view;
  if ('snapshot' in report) return (report.snapshot?.cannotTell ?? 0) > 0;
  const left = 'unchecked' in report ? report.unchecked : 'uncompared' in report ? report.uncompared : [];
  return left.length > 0;
}

/**
 * Ends a command. A terminal is read from its end, whether stdout and stderr go to one or not: the report, problems and hints, then
 * the totals and the result. The exit code is what `--detailed-exitcode` decides.
 */
export async function finish(
  {
    changes,
    view,
    problems = view?.problems ?? [],
    hints = '',
    isNarrowed = false,
    endPlan,
    ...ending
  }: Ending,
  io: Io,
  output: Output,
  isDetailed: boolean,
): Promise<ExitCode> {
  const { result = resultOf(view) } = ending;
  const told = output.stdout === 'human' ? view?.isTold : undefined;
  const untold = told === undefined ? problems : problems.filter((problem) => !told(problem));
  const isFull = output.detail === 'full' || view?.report.format === 'gwconf/validate-report@1';
  const tell = (hasEnd: boolean): void => {
    const text = tellProblems(untold, isFull, io);
    const isApart = text.trimEnd().includes('\n') && (hasEnd || endPlan !== undefined);
    io.err(`${text}${isApart ? '\n' : ''}${hints}`);
    endPlan?.();
  };
  const render = view === undefined ? ending.render?.bind(ending) : formatsOf({ ...view, isDetailed }, io);
  const unwritten = await emitEach((format, to) => render?.(format, to) ?? [], output, io, tell);
  if (result === undefined) {
    if (unwritten.length === 0) return EXIT.ok;
    await printResult('unwritten', io, { unwritten });
    return EXIT.unwritten;
  }
  const code = exitCodeOf(result, isDetailed);
  const isAll = !['no-changes', 'no-drift', 'no-differences'].includes(result);
  const where = isAll
    ? ''
    : `${isNarrowed ? ' in the selection' : ''}${isIncomplete(view) ? ' in what was compared' : ''}`;
  const lost = await printResult(result, io, { changes, where, unwritten });
  const err = await io.flush('err');
  if (err === undefined) return lost.length > 0 ? codeAfterLoss(code) : code;
  // A report for programs must stay what it is; people are told on stdout.
  if (view !== undefined && ending.isAnswer !== true && output.stdout === 'human')
    io.out(`${renderUnwritten({ to: 'stderr', error: err })}result: ${result}${where}\n`);
  return codeAfterLoss(code);
}

function resultOf(view: View | undefined): Result | undefined {
  return view !== undefined && 'result' in view.report ? view.report.result : undefined;
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

/** Problems for people, beside a report. Notes about files are counted unless everything is asked for: `validate` is there for them. */
export function tellProblems(problems: readonly LocatedProblem[], isFull: boolean, io: Io): string {
  const isCounted = ({ code, severity }: LocatedProblem): boolean =>
    !isFull && severity === 'info' && meaningOf(code)?.isNote === true;
  const shown = renderProblems(
    problems.filter((one) => !isCounted(one)),
    io.errPaint,
    io.columns.err,
    io.env('GITHUB_ACTIONS') === 'true' ? 'github' : isCi(io.env) ? 'job' : 'shell',
  );
  const notes = problems.filter(isCounted);
  if (notes.length === 0) return shown;
  const byCode = [...groupBy(notes, ({ code }) => code)].map(([code, alike]) => `${alike.length} ${code}`);
  const line = `info: ${formatCount(notes.length, 'note')} on the files (${byCode.join(', ')}); gwconf validate shows them\n`;
  return `${shown}${shown === '' ? '' : '\n'}${line}`;
}
