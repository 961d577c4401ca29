import type { Loss } from '../../plan/change/plan.ts';
import { onOneLine } from '../escape.ts';
import type { Paint } from '../paint.ts';

/** One line for what an undo does not restore. */
export function renderLoss({ address, leftOut, reason }: Loss, paint: Paint): string {
  const name = onOneLine(address);
  return leftOut
    ? `${paint.red('cannot be undone:')} ${name}: ${onOneLine(reason)}`
    : `${paint.yellow('cannot be undone completely:')} ${name} ${onOneLine(reason)}`;
}
