import { groupBy, once } from '../../model/collect.ts';
import { list } from '../../model/text/list.ts';
import { wordForShell } from '../../model/text/escape.ts';
import type { ApplyReport, LedgerRecord, UnprotectedRecord } from '../../outcome/apply.ts';
import { nameOf } from '../../outcome/change-record.ts';
import { mapLazily, type Lazy } from '../../outcome/lazy.ts';
import { arePlural, namePrincipals, nameProtection } from '../../plan/change/name-principals.ts';
import { removalNotes, signOf } from './changes.ts';
import { FATES, sectionsByFate, wordFates, type Fate, type FateCounts } from './fates.ts';
import { factOf, makeEntry, makePage, notesOf, toneOf } from './make-page.ts';
import type { Block, Ending, Entry, LedgerLine, Page } from './page.ts';
import { lossesOf, placeFacts } from './plan-page.ts';
import { totalsOf } from './totals.ts';

function fateOf({ outcome, problem }: LedgerRecord): Fate {
  return problem?.code === 'overtaken' ? 'overtaken' : outcome;
}

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

/** How the last line of a run begins; there is none for a run that did not. */
const HEADLINES: Readonly<Partial<Record<ApplyReport['result'], string>>> = {
  applied: 'Applied',
  partial: 'Partially applied',
  failed: 'Failed',
  interrupted: 'Interrupted',
};

const NEXT: Readonly<Partial<Record<ApplyReport['result'], string>>> = {
  partial: 'Some changes were made. Solve the problems, then plan and apply again.',
  interrupted: 'Some changes may have been made. Plan and apply again.',
  stale: 'The plan does not fit what is there now; the problems say why. Make it again.',
  blocked: 'Nothing can be applied until the problems are solved.',
};

export function pageOfApply(report: Lazy<ApplyReport>): Page {
  const { result, environment, ledger, problems, undo } = report;
  const told = new Set(problems.map(({ address, message }) => `${address ?? ''} ${message}`));
  const sections = once(() => sectionsByFate(ledger, fateOf, (one) => entryOf(one, told)));
  const counts = wordFates(countFates(report), true);
  const title = TITLES[result](environment === undefined ? '' : ` to ${environment}`);
  // What could not be read again may not be in effect.
  const isUnverified = result === 'applied' && problems.some(({ code }) => code === 'gateway-error');
  return makePage(report, {
    title: counts === '' ? title : `${title}: ${counts}`,
    tone: isUnverified ? 'warning' : toneOf(result),
    facts: [
      // A terminal has shown the plan, with these facts above it.
      ...placeFacts(report).map(({ line: _, ...fact }) => fact),
      ...factOf('Undo', undoLine(report)),
    ],
    next: NEXT[result],
    blocks: [
      {
        block: 'ledger',
        list: mapLazily(ledger, lineOf),
        isTold: result === 'applied' || HEADLINES[result] === undefined,
        isApart: false,
        sections,
      },
      ...unprotectedOf(report),
      ...lossesOf(undo).map((losses) => ({ ...losses, isTold: true })),
    ],
    totals: totalsOf(sections),
    ending: endingOf(report),
  });
}

/** With what would stop it otherwise, where there is anything to take back. */
function undoLine({ undo, environment }: Lazy<ApplyReport>): string | undefined {
  if (undo?.needs === undefined) return undefined;
  const limits = Object.entries(undo.needs).map(([what, count]) => ` --max-${what} ${count}`);
  const env = environment === undefined ? '' : ` --env ${wordForShell(environment)}`;
  return `gwconf undo ${undo.run}${limits.join('')}${env}`;
}

/** Why it failed stands among the problems, if it is told there. */
function entryOf(record: LedgerRecord, told: ReadonlySet<string>): Entry {
  const { address, action, at, by, problem, step } = record;
  return makeEntry(address, {
    at,
    notes: [
      action,
      ...(step === undefined ? [] : [nameOf(record).slice(address.length).trim()]),
      ...removalNotes(record),
      ...(by === undefined ? [] : [`blocked by ${by.join(', ')}`]),
      ...(problem === undefined || told.has(`${address} ${problem.message}`) ? [] : [problem.message]),
    ],
    isRisky: problem !== undefined,
  });
}

function countFates({ summary, problems }: Lazy<ApplyReport>): FateCounts {
  const overtaken = problems.filter(({ code }) => code === 'overtaken').length;
  return { ...summary, failed: summary.failed - overtaken, overtaken };
}

/** A change that has ended, as a line. Why it failed stands among the problems. */
export function lineOf(record: LedgerRecord): LedgerLine {
  const { action, by } = record;
  return {
    sign: signOf(action),
    name: nameOf(record),
    notes: removalNotes(record),
    state: FATES[fateOf(record)].state,
    why: by === undefined ? '' : ` by ${by.join(', ')}`,
  };
}

function endingOf(report: Lazy<ApplyReport>): Ending | undefined {
  const headline = HEADLINES[report.result];
  if (headline === undefined) return undefined;
  const counts = wordFates(countFates(report), false);
  return { headline: `${headline}: ${counts === '' ? 'no changes made' : counts}.`, rest: '' };
}

function unprotectedOf({ unprotected = [] }: Lazy<ApplyReport>): readonly Block[] {
  const notes = describeUnprotected(unprotected).map((text) => ({ text }));
  return notesOf('Clients without protection now', 'loss', 'marked', notes);
}

/** Up to this many groups of principals are told of. */
const MOST_GROUPS = 19;

/** Who lacks which protection now, as sentences without a full stop: one for all who lost the same. */
function describeUnprotected(all: readonly UnprotectedRecord[]): readonly string[] {
  const groups = [
    ...groupBy(all, ({ protection, lost, from }) => JSON.stringify([protection, lost, from])).values(),
  ];
  const told = groups.slice(0, MOST_GROUPS).map((group) => {
    const [{ protection, lost, from }] = group;
    const have = arePlural(group) ? 'have' : 'has';
    const [one, ...others] = lost;
    const isItself = others.length === 0 && one === from;
    return `${namePrincipals(group)} ${have} no ${nameProtection(protection)}, which ${list(lost)} gave until ${isItself ? 'it' : from} changed`;
  });
  const more = groups.length - told.length;
  return more === 0 ? told : [...told, `and ${more} more; -o json lists all`];
}
