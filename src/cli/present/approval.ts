import { onOneLine } from '../../report/escape.ts';
import type { Approval } from '../../workflow/run/run.ts';
import type { Io } from '../io.ts';

/** Asks on the terminal whether to make the changes on the gateway at this URL. */
export function askToApprove(url: string, io: Io): (question: Approval) => Promise<boolean> {
  return async (question) => {
    const answer = await io.ask(`${onOneLine(questionOf(question, url))} Type yes to confirm: `);
    const isApproved = answer.trim() === 'yes' && !io.interrupted.aborted;
    if (!isApproved) io.err('Nothing was changed.\n');
    return isApproved;
  };
}

function questionOf({ shown: { undoes }, part }: Approval, url: string): string {
  if (undoes === undefined) return `Make these changes on ${url}?`;
  return `Undo ${part === 'all' ? '' : 'the rest of '}run ${undoes.run} on ${url}?`;
}
