import { expect, it } from 'vitest';
import { summarizeResult, type Entry, type EntryOutcome } from '../../src/apply/events.ts';
import type { Address } from '../../src/model/resource.ts';
import type { ChangeId } from '../../src/plan/change/change.ts';

it.each<[string, readonly EntryOutcome[], boolean]>([
  ['no-changes', [], false],
  ['no-changes', [], true],
  ['no-changes', ['already', 'already'], false],
  ['applied', ['done', 'done'], false],
  ['applied', ['done', 'already'], false],
  ['applied', ['done'], true],
  ['partial', ['done', 'failed'], false],
  ['partial', ['already', 'failed', 'blocked'], false],
  ['failed', ['failed', 'blocked', 'not-attempted'], false],
  ['interrupted', ['done', 'not-attempted'], true],
  ['interrupted', ['not-attempted'], true],
  ['interrupted', ['failed'], true],
])('a ledger is %s with %j, interrupted: %j', (result, outcomes, interrupted) => {
  expect(summarizeResult(outcomes.map(entry), interrupted)).toBe(result);
});

function entry(outcome: EntryOutcome, at: number): Entry {
  const address = `Thing/${at}` as Address;
  const about = { id: address as string as ChangeId, address, action: 'create' } as const;
  switch (outcome) {
    case 'failed':
      return { ...about, outcome, problem: { code: 'gateway-error', severity: 'error', message: 'no' } };
    case 'blocked':
      return { ...about, outcome, by: [] };
    default:
      return { ...about, outcome };
  }
}
