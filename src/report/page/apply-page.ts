import type { Outcome } from '../../apply/events.ts';
import type { ApplyReport, LedgerRecord } from '../../outcome/apply.ts';
import { nameOf } from '../../outcome/change-record.ts';
import type { Lazy } from '../../outcome/lazy.ts';
import { describeUnprotected } from './unprotected.ts';
import { listSection, totalsOf } from './groups.ts';
import type { Entry, Page, Sign, Tone } from './page.ts';
import { placeFacts } from './plan-page.ts';

/** In the order in which an operator needs them. */
const SECTIONS: readonly (readonly [Outcome, title: string, Sign])[] = [
  ['failed', 'Failed', '!'],
  ['blocked', 'Blocked', '!'],
  ['not-attempted', 'Not attempted', '?'],
  ['done', 'Done', '✓'],
  ['already', 'Already up to date', '✓'],
];

/** `to` is empty, or names the environment. */
const TITLES: Readonly<Record<ApplyReport['result'], (to: string) => string>> = {
  applied: (to) => `Applied${to}`,
  'no-changes': (to) => `Nothing to apply${to}`,
  partial: (to) => `Partially applied${to}`,
  failed: (to) => `Apply${to} failed`,
  interrupted: (to) => `Apply${to} was interrupted`,
  stale: (to) => `Nothing applied${to}: the plan is stale`,
  blocked: (to) => `Nothing applied${to}: the plan is blocked`,
  error: (to) => `Nothing applied${to}: an error`,
};

const NEXT: Readonly<Partial<Record<ApplyReport['result'], string>>> = {
  partial: 'Some changes were made. Solve the problems, then plan and apply again.',
  interrupted: 'Some changes may have been made. Plan and apply again.',
  stale: 'The gateway has changed since the plan was made. Make the plan again.',
  blocked: 'Nothing can be applied until the problems are solved.',
};

export function pageOfApply(report: Lazy<ApplyReport>): Page {
  const { result, environment, ledger, problems, summary, undo, unprotected = [] } = report;
  const byOutcome = new Map<Outcome, LedgerRecord[]>(SECTIONS.map(([outcome]) => [outcome, []]));
  for (const record of ledger) byOutcome.get(record.outcome)?.push(record);
  const sections = SECTIONS.flatMap(([outcome, title, sign]) =>
    listSection(title, sign, (byOutcome.get(outcome) ?? []).map(entryOf)),
  );
  const counts = SECTIONS.filter(([outcome]) => summary[outcome] > 0)
    .map(([outcome, title]) => `${summary[outcome]} ${title.toLowerCase()}`)
    .join(', ');
  const title = TITLES[result](environment === undefined ? '' : ` to ${environment}`);
  return {
    title: counts === '' ? title : `${title}: ${counts}`,
    tone: toneOf(result),
    facts: [
      ...placeFacts(report),
      ...(undo === undefined ? [] : [{ label: 'Undo', text: `gwconf undo ${undo.run}`, isCode: true }]),
    ],
    next: NEXT[result],
    risks: [
      ...describeUnprotected(unprotected).map((text) => ({ name: 'Without protection now', text })),
      ...(undo?.losses ?? []).map(({ address, leftOut, reason }) => ({
        name: address,
        text: `${leftOut ? 'cannot be undone' : 'cannot be undone completely'}: ${reason}`,
      })),
    ],
    problems,
    sections,
    totals: totalsOf(sections),
    closing: '',
  };
}

function toneOf(result: ApplyReport['result']): Tone {
  return result === 'applied' || result === 'no-changes' ? 'calm' : 'alarm';
}

function entryOf(record: LedgerRecord): Entry {
  const { address, action, at, by, problem, removal, step } = record;
  return {
    names: [address],
    at,
    notes: [
      action,
      ...(step === undefined ? [] : [nameOf(record).slice(address.length).trim()]),
      ...(removal === undefined ? [] : [`removed: ${removal}`]),
      ...(by === undefined ? [] : [`blocked by ${by.join(', ')}`]),
      ...(problem === undefined ? [] : [problem.message]),
    ],
    isRisky: problem !== undefined,
    lines: () => [],
  };
}
