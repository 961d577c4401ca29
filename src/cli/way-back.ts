import { lossText, type ShownPlan, type Undo, type Undoes } from '../index.ts';
import type { Io } from './io.ts';

/** How a run is taken back; undefined where no journal is kept. */
export function wayBack({ losses }: Undo, run: string | undefined): Undoes | undefined {
  return run === undefined ? undefined : { run, losses };
}

/** What the run cannot undo, or not as it was. */
export function sayLosses({ losses }: Pick<Undoes, 'losses'>, { err, errPaint }: Io): void {
  for (const loss of losses) err(`${lossText(loss, errPaint)}\n`);
}

/** Said when the run is over; an undo is not taken back without its name. */
export function undoHint(back: Undoes | undefined, { undoes }: ShownPlan): string {
  if (back === undefined) return '';
  const name = undoes === undefined ? '' : ` ${back.run}`;
  const but = back.losses.length === 0 ? '' : ', but for what it said at its start';
  return `gwconf undo${name} takes back what this run has done${but}.\n`;
}
