import { onOneLine } from '../../report/escape.ts';
import type { ApplyResult } from '../../report/view/apply-report.ts';
import type { Running } from '../connect/open-run.ts';

/** Asks; undefined for a yes, else how the run ends, of which nothing was begun. */
export async function refusal(
  question: string,
  { io }: Pick<Running, 'io'>,
): Promise<ApplyResult | undefined> {
  const answer = await io.ask(`${onOneLine(question)} Only yes is taken for a yes: `);
  if (answer.trim() === 'yes' && !io.interrupted.aborted) return undefined;
  io.err('Nothing was changed.\n');
  return io.interrupted.aborted ? 'interrupted' : 'blocked';
}
