import type { Undoes } from '../../plan/change/plan.ts';
import type { ShownPlan } from '../../plan/secrets/redact.ts';
import type { Undo } from '../../plan/undo/undo.ts';
import { renderLoss } from '../../report/text/loss-text.ts';
import { commandLine, type PlaceArgs } from './command-line.ts';
import type { Io } from '../io.ts';

/** How a run is taken back; undefined where no journal is kept. */
export function wayBack({ losses }: Undo, run: string | undefined): Undoes | undefined {
  return run === undefined ? undefined : { run, losses };
}

/** What the run cannot undo, or not as it was. */
export function sayLosses({ losses }: Pick<Undoes, 'losses'>, { err, errPaint }: Io): void {
  for (const loss of losses) err(`${renderLoss(loss, errPaint)}\n`);
}

/** Said when the run is over; an undo is not taken back without its name. */
export function undoHint({ run, losses }: Undoes, { undoes }: ShownPlan, place: PlaceArgs): string {
  const words = undoes === undefined ? ['undo'] : ['undo', run];
  const but = losses.length === 0 ? '' : ', but for what was said at the start';
  return `Take back what this run has done${but}: ${commandLine(words, place)}\n`;
}

/** Said when a run is over that is not at its end. */
export function resumeHint(run: string, place: PlaceArgs): string {
  return `Go on with the rest of this plan: ${commandLine(['apply', '--resume', run], place)}\n`;
}
