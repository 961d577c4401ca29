import { addTo, once } from '../../model/collect.ts';
import type { ChangeStatus } from '../../apply/journal/journal.ts';
import type { Action } from '../../plan/change/change.ts';
import { nameOf } from '../../outcome/change-record.ts';
import { mapLazily, type Lazy } from '../../outcome/lazy.ts';
import {
  countStatuses,
  numberOfRun,
  type RunChangeRecord,
  type RunRecord,
  type RunReport,
  type RunsReport,
  whereOf,
} from '../../outcome/run.ts';
import { capitalise, formatCount, ifAny } from '../phrases.ts';
import { STATES } from './apply-page.ts';
import { signOf } from './changes.ts';
import { factOf, makePage } from './make-page.ts';
import type { Entry, Fact, LedgerLine, Page, Section, Sign, State, Tone } from './page.ts';
import { placeFacts } from './plan-page.ts';
import { listSection, totalsOf } from './sections.ts';

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

const { done, already, overtaken: _, ...notDone } = STATES;
/** What a terminal calls a status; what is unfinished stands between what was done and what was not. */
const STATUSES: Readonly<Record<ChangeStatus, State>> = {
  done,
  already,
  'in-flight': ['in flight', 'yellow'],
  half: ['half replaced', 'red'],
  ...notDone,
};

export function pageOfRun(report: Lazy<RunReport>): Page {
  const { run, sittings, changes, finishedAt } = report;
  const sections = once((): readonly Section[] => {
    const byStatus = new Map<ChangeStatus, RunChangeRecord[]>();
    for (const change of changes) addTo(byStatus, change.known, change);
    return (Object.keys(SECTIONS) as ChangeStatus[]).flatMap((known): readonly Section[] => {
      const [title, sign] = SECTIONS[known];
      return listSection(title, sign, (byStatus.get(known) ?? []).map(entryOf));
    });
  });
  const counts = countStatuses(changes);
  const countIn = (known: ChangeStatus, word: string): readonly string[] => {
    const count = counts.get(known);
    return count === undefined ? [] : [`${count} ${word}`];
  };
  const known = Object.keys(SECTIONS) as ChangeStatus[]; // the keys of a literal
  return {
    title: [
      `Run ${run.run}: ${run.result}`,
      ...known.flatMap((one) => countIn(one, SECTIONS[one][0].toLowerCase())),
    ].join(', '),
    tone: toneOf(run),
    facts: [
      ...placeFacts(run).map((fact) =>
        fact.line === undefined ? fact : { ...fact, line: `Run ${run.run} on ${whereOf(run)}` },
      ),
      ...authorNotes(run).flatMap((text) => factOf('Begun', text, { line: `Begun ${text}`, isAside: true })),
      ...factOf('Undo of', run.undoes, { line: `Undo of run ${run.undoes ?? ''}`, isAside: true }),
      ...sittings.map(sittingFact),
      ...factOf('Finished', finishedAt, { line: `Finished at ${finishedAt ?? ''}`, isAside: true }),
    ],
    problems: [],
    blocks: [{ block: 'ledger', list: mapLazily(changes, lineOf), isTold: false, isApart: true, sections }],
    totals: totalsOf(sections),
    closing: '',
    ending: {
      headline: `${capitalise(run.result)}: ${(Object.keys(STATUSES) as ChangeStatus[]) // the keys of a literal
        .flatMap((one) => countIn(one, STATUSES[one][0]))
        .join(', ')}.`,
      rest: '',
    },
  };
}

function sittingFact({ at, tool, pid, host }: RunReport['sittings'][number], place: number): Fact {
  const label = place === 0 ? 'Started' : 'Resumed';
  const text = `${at} by ${tool}, process ${pid} on ${host}`;
  return { label, text, isCode: true, line: `${label} at ${text}`, isAside: true };
}

function toneOf({ result }: RunRecord): Tone {
  return result === 'applied' || result === 'no-changes' ? 'calm' : 'alarm';
}

function entryOf(change: RunChangeRecord): Entry {
  const { address, action, known, why } = change;
  const [, , note = ''] = SECTIONS[known];
  const step = nameOf(change).slice(address.length).trim();
  return {
    names: [address],
    notes: [action, step, note, why ?? ''].filter((one) => one !== ''),
    isRisky: known !== 'done' && known !== 'already' && known !== 'not-attempted',
    lines: () => [],
  };
}

function lineOf(change: RunChangeRecord): LedgerLine {
  const { action, known, why } = change;
  const [, , note = why] = SECTIONS[known];
  const sign = signOf(action);
  return {
    sign,
    name: nameOf(change),
    notes: [],
    state: STATUSES[known],
    why: note === undefined ? '' : `: ${note}`,
  };
}

export function pageOfRuns({ runs, problems }: RunsReport): Page {
  const isCalm = runs.every((one) => toneOf(one) === 'calm');
  return makePage({
    title: formatCount(runs.length, 'run'),
    tone: isCalm ? 'calm' : 'review',
    problems,
    blocks: [
      {
        block: 'runs',
        list: runs.map((one) => ({
          name: one.number === undefined ? one.run : String(one.number),
          day: one.startedAt.slice(0, 16).replace('T', ' '),
          state: [one.result, toneOf(one) === 'calm' ? 'green' : 'yellow'],
          progress: describeProgress(one),
          notes: [whereOf(one), ...authorNotes(one), ...undoNotes(one)],
        })),
        sections: () => listSection('Runs', '✓', runs.map(entryOfRun)),
      },
    ],
  });
}

function entryOfRun(one: RunRecord): Entry {
  const { run, startedAt, result } = one;
  return {
    names: [run],
    notes: [
      result,
      describeProgress(one),
      `started at ${startedAt}`,
      whereOf(one),
      ...authorNotes(one),
      ...undoNotes(one),
    ],
    isRisky: toneOf(one) === 'alarm',
    lines: () => [],
  };
}

function describeProgress({ done: made, changes, counts, failed, inFlight }: RunRecord): string {
  const parts = (Object.keys(SIGNS) as Action[]) // the keys of a literal
    .flatMap((action) => ((counts?.[action] ?? 0) > 0 ? [`${SIGNS[action]}${counts?.[action] ?? 0}`] : []));
  const what = parts.length === 0 ? '' : ` (${parts.join(' ')})`;
  const others = [...ifAny(failed, 'failed'), ...ifAny(inFlight, 'in flight')];
  return [`${made} of ${changes} done${what}`, ...others].join(', ');
}

const SIGNS: Readonly<Record<Action, string>> = { create: '+', update: '~', replace: '±', delete: '-' };

/** `by anna, 1a2b3c4d of main` */
function authorNotes({ by, commit, branch }: RunRecord): readonly string[] {
  const of = [commit?.slice(0, 8), branch].filter((one) => one !== undefined).join(' of ');
  const parts = [by === undefined ? '' : `by ${by}`, of].filter((one) => one !== '');
  return parts.length === 0 ? [] : [parts.join(', ')];
}

function undoNotes({ undoes }: RunRecord): readonly string[] {
  return undoes === undefined ? [] : [`undo of ${numberOfRun(undoes) ?? undoes}`];
}
