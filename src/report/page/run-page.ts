import { addTo } from '../../model/collect.ts';
import type { ChangeStatus } from '../../apply/journal/change-status.ts';
import { nameOf } from '../../outcome/change-record.ts';
import type { Lazy } from '../../outcome/lazy.ts';
import { type RunChangeRecord, type RunRecord, type RunReport, type RunsReport } from '../../outcome/run.ts';
import { listSection, totalsOf } from './groups.ts';
import type { Entry, Fact, Page, Section, Sign, Tone } from './page.ts';
import { placeFacts } from './plan-page.ts';

/** The title of the section with the changes of a status, and what its readers have to know; what needs a look comes first. */
const SECTIONS: Readonly<Record<ChangeStatus, readonly [title: string, Sign, note?: string]>> = {
  half: ['Half replaced', '!', 'deleted, not recreated'],
  'in-flight': ['In flight', '!', 'outcome unknown, check the gateway'],
  failed: ['Failed', '!'],
  blocked: ['Blocked', '!'],
  'not-attempted': ['Not attempted', '?'],
  done: ['Done', '✓'],
  already: ['Already up to date', '✓'],
};

/** What one run did. */
export function pageOfRun(report: Lazy<RunReport>): Page {
  const { run, sittings, changes } = report;
  const byStatus = new Map<ChangeStatus, RunChangeRecord[]>();
  for (const change of changes) addTo(byStatus, change.known, change);
  const sections = (Object.keys(SECTIONS) as ChangeStatus[]).flatMap((known): readonly Section[] => {
    const [title, sign, note] = SECTIONS[known];
    const entries = (byStatus.get(known) ?? []).map((change) => entryOf(change, note));
    return listSection(title, sign, entries);
  });
  const totals = sections.map(({ count, title }) => `${count} ${title.toLowerCase()}`);
  return {
    title: [`Run ${run.run}: ${run.result}`, ...totals].join(', '),
    tone: toneOf(run),
    facts: [...placeFacts(run), ...undoFacts(run), ...sittings.map(factOf)],
    risks: [],
    problems: [],
    sections,
    totals: totalsOf(sections),
    closing: '',
  };
}

function factOf({ at, tool, pid, host }: RunReport['sittings'][number], place: number): Fact {
  return {
    label: place === 0 ? 'Started' : 'Resumed',
    text: `${at} by ${tool}, process ${pid} on ${host}`,
    isCode: true,
  };
}

function undoFacts({ undoes }: RunRecord): readonly Fact[] {
  return undoes === undefined ? [] : [{ label: 'Undo of', text: undoes, isCode: true }];
}

function toneOf({ result }: RunRecord): Tone {
  return result === 'applied' || result === 'no-changes' ? 'calm' : 'alarm';
}

function entryOf(change: RunChangeRecord, note: string | undefined): Entry {
  const { address, action, known, why } = change;
  const step = nameOf(change).slice(address.length).trim();
  return {
    names: [address],
    notes: [action, step, note ?? '', why ?? ''].filter((one) => one !== ''),
    isRisky: known !== 'done' && known !== 'already' && known !== 'not-attempted',
    lines: () => [],
  };
}

/** A list of runs. */
export function pageOfRuns({ runs, problems }: RunsReport): Page {
  return {
    title: runs.length === 1 ? '1 run' : `${runs.length} runs`,
    tone: runs.every((run) => toneOf(run) === 'calm') ? 'calm' : 'review',
    facts: [],
    risks: [],
    problems,
    sections: listSection('Runs', '✓', runs.map(entryOfRun)),
    totals: [],
    closing: '',
  };
}

function entryOfRun(one: RunRecord): Entry {
  const { run, startedAt, result, done, changes, failed, gateway, environment, undoes } = one;
  return {
    names: [run],
    notes: [
      result,
      `${done} of ${changes} done${failed === 0 ? '' : `, ${failed} failed`}`,
      `started at ${startedAt}`,
      environment === undefined ? gateway : `${gateway} (${environment})`,
      ...(undoes === undefined ? [] : [`undo of ${undoes}`]),
    ],
    isRisky: toneOf(one) === 'alarm',
    lines: () => [],
  };
}
