import type { Undoes } from '../../plan/change/plan.ts';
import type { ShownPlan } from '../../plan/secrets/redact.ts';
import { commandLine, type PlaceArgs } from './command-line.ts';

/** How to undo a run that is over. An undo is itself undone only by name. */
export function undoHint({ run, losses }: Undoes, { undoes }: ShownPlan, place: PlaceArgs): string {
  const words = undoes === undefined ? ['undo'] : ['undo', run];
  const except = losses.length === 0 ? '' : ', except for what was listed at the start';
  return `Undo this run${except}: ${commandLine(words, place)}\n`;
}

/** How to resume a run that ended before everything was done. */
export function resumeHint(run: string, place: PlaceArgs): string {
  return `Resume this run: ${commandLine(['apply', '--resume', run], place)}\n`;
}
