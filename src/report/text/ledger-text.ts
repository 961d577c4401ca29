import type { Entry, Ledger } from '../../apply/events.ts';
import { onOneLine } from '../escape.ts';
import type { Paint } from '../paint.ts';
import { objects, symbolOf } from './plan-text.ts';

/** One line for one change that has ended. */
export function entryText(entry: Entry, paint: Paint): string {
  const what = `${symbolOf(entry.action, paint)} ${onOneLine(entry.address)}${entry.step === undefined ? '' : ` (${entry.step})`}${entry.removal === undefined ? '' : `  removed: ${onOneLine(entry.removal)}`}`;
  switch (entry.outcome) {
    case 'done':
      return `${what}  ${paint.green('done')}`;
    case 'already':
      return `${what}  ${paint.green('already so')}`;
    case 'failed':
      return `${what}  ${paint.red('failed')}: ${onOneLine(entry.problem.message)}`;
    case 'blocked':
      return `${what}  ${paint.yellow('blocked')} by ${entry.by.map(onOneLine).join(', ')}`;
    case 'not-attempted':
      return `${what}  ${paint.dim('not attempted')}`;
    default:
      return entry satisfies never;
  }
}

/** What was done and what was not: every change by name when something is missing, else the totals. */
export function ledgerText({ result, entries }: Ledger, paint: Paint): string {
  const count = (outcome: Entry['outcome']): number =>
    entries.filter((entry) => entry.outcome === outcome).length;
  const parts = (['done', 'already', 'failed', 'blocked', 'not-attempted'] as const)
    .map((outcome) => ({ outcome, count: count(outcome) }))
    .filter((part) => part.count > 0)
    .map(
      (part) => `${part.count} ${part.outcome === 'already' ? 'already so' : part.outcome.replace('-', ' ')}`,
    );
  const lines = result === 'applied' ? [] : entries.map((entry) => `  ${entryText(entry, paint)}\n`);
  const words = {
    applied: 'Applied',
    'no-changes': 'No changes',
    partial: 'Applied in part',
    failed: 'Failed',
    interrupted: 'Interrupted',
  };
  return `${lines.join('')}${paint.bold(`${words[result]}: ${parts.length === 0 ? objects(0) : parts.join(', ')}.`)}\n`;
}
