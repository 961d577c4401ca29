import type { Loss } from '../../plan/change/plan.ts';
import { onOneLine } from '../escape.ts';
import type { Paint } from '../paint.ts';

/** One line for what an undo does not bring back. */
export function lossText({ address, leftOut, reason }: Loss, paint: Paint): string {
  const name = onOneLine(address);
  return leftOut
    ? `${paint.red('cannot be undone:')} ${name}: ${onOneLine(reason)}`
    : `${paint.yellow('can be undone, but:')} ${name} ${onOneLine(reason)}`;
}
