import { inPieces } from '../../model/json/pieces.ts';
import { onOneLine } from '../escape.ts';
import type { Paint } from '../paint.ts';
import type { ApplyResult } from '../../apply/events.ts';
import type { ApplyReport, LedgerRecord } from '../../outcome/apply.ts';
import { nameOf } from '../../outcome/change-record.ts';
import type { Lazy } from '../../outcome/lazy.ts';
import { describeUnprotected } from '../page/unprotected.ts';
import { renderSymbol } from './phrases.ts';

/** How a state of a change is printed. */
type Style = readonly [words: string, colour: 'green' | 'red' | 'yellow' | 'dim', note?: string];

export const OUTCOMES: Readonly<Record<LedgerRecord['outcome'], Style>> = {
  done: ['done', 'green'],
  already: ['already up to date', 'green'],
  failed: ['failed', 'red'],
  blocked: ['blocked', 'yellow'],
  'not-attempted': ['not attempted', 'dim'],
};

const HEADLINES: Readonly<Partial<Record<ApplyResult, string>>> = {
  applied: 'Applied',
  partial: 'Partially applied',
  failed: 'Failed',
  interrupted: 'Interrupted',
};

/** The totals of a run; above them every change, unless all were made. Empty for a run that did not begin. */
export function renderApply(report: Lazy<ApplyReport>, paint: Paint): Iterable<string> {
  return inPieces(partsOf(report, paint));
}

function* partsOf(
  { result, ledger, summary, unprotected = [] }: Lazy<ApplyReport>,
  paint: Paint,
): Generator<string> {
  const headline = HEADLINES[result];
  if (headline === undefined) return;
  if (result !== 'applied') for (const entry of ledger) yield `  ${renderEntry(entry, paint)}\n`;
  const counts = (Object.keys(OUTCOMES) as (keyof typeof OUTCOMES)[]) // the keys of a literal
    .filter((outcome) => summary[outcome] > 0)
    .map((outcome) => `${summary[outcome]} ${OUTCOMES[outcome][0]}`);
  yield `${paint.bold(`${headline}: ${counts.length === 0 ? 'no changes made' : counts.join(', ')}.`)}\n`;
  if (unprotected.length === 0) return;
  yield `${paint.bold('Without protection now:')}\n`;
  for (const line of describeUnprotected(unprotected)) yield `  ${paint.red('!')} ${onOneLine(line)}\n`;
}

/** One line for a change that has ended. */
export function renderEntry(entry: LedgerRecord, paint: Paint): string {
  const { action, outcome, removal, by, problem } = entry;
  const [words, colour] = OUTCOMES[outcome];
  const removed = removal === undefined ? '' : `  removed: ${onOneLine(removal)}`;
  const why = `${by === undefined ? '' : ` by ${by.map(onOneLine).join(', ')}`}${problem === undefined ? '' : `: ${onOneLine(problem.message)}`}`;
  return `${renderSymbol(action, paint)} ${onOneLine(nameOf(entry))}${removed}  ${paint[colour](words)}${why}`;
}
