import { groupBy } from '../../model/collect.ts';
import { meaningOf } from '../../model/problem-codes.ts';
import type { LocatedProblem } from '../../model/problem.ts';
import { formatCount } from '../../report/phrases.ts';
import { renderProblems } from '../../report/text/problems-text.ts';
import type { Io } from '../io.ts';

/** Problems for people, beside a report. Notes about files are counted unless everything is asked for: `validate` is there for them. */
export function tellProblems(problems: readonly LocatedProblem[], isFull: boolean, io: Io): string {
  const isCounted = ({ code, severity }: LocatedProblem): boolean =>
    !isFull && severity === 'info' && meaningOf(code)?.isNote === true;
  const shown = renderProblems(
    problems.filter((one) => !isCounted(one)),
    io.errPaint,
    io.columns.err,
  );
  const notes = problems.filter(isCounted);
  if (notes.length === 0) return shown;
  const byCode = [...groupBy(notes, ({ code }) => code)].map(([code, alike]) => `${alike.length} ${code}`);
  const line = `info: ${formatCount(notes.length, 'note')} on the files (${byCode.join(', ')}); gwconf validate shows them\n`;
  return `${shown}${shown === '' ? '' : '\n'}${line}`;
}
