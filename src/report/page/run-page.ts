import { formatCount } from '../../model/text/list.ts';
import type { ChangeStatus } from '../../apply/journal/journal.ts';
import { groupBy, once } from '../../model/collect.ts';
import { nameOf } from '../../outcome/change-record.ts';
import { mapLazily, type Lazy } from '../../outcome/lazy.ts';
import {
  numberOfRun,
  type RunChangeRecord,
  type RunRecord,
  type RunReport,
  type RunsReport,
  whereOf,
} from '../../outcome/run.ts';
import { capitalise, ifAny } from '../phrases.ts';
import { signOf } from './changes.ts';
import { FATES, sectionsByFate, wordFates, type FateCounts } from './fates.ts';
import { factOf, listSection, makeEntry, makePage } from './make-page.ts';
import type { Entry, Fact, LedgerLine, Page, Tone } from './page.ts';
import { placeFacts } from './plan-page.ts';
import { totalsOf } from './totals.ts';

/** What readers of a change that was cut off have to know. */
const NOTES: Readonly<Partial<Record<ChangeStatus, string>>> = {
  half: 'deleted, not recreated',
  'in-flight': 'outcome unknown, check the gateway',
};

export function pageOfRun(report: Lazy<RunReport>): Page {
  const { run, sittings, changes, finishedAt } = report;
  const sections = once(() => sectionsByFate(changes, ({ known }) => known, entryOf));
  const counts: FateCounts = Object.fromEntries(
    Array.from(
      groupBy(changes, ({ known }) => known),
      ([known, { length }]) => [known, length],
    ),
  );
  const words = wordFates(counts, true);
  return makePage(
    {},
    {
      title: `Run ${run.run}: ${run.result}${words === '' ? '' : `, ${words}`}`,
      tone: toneOf(run),
      facts: [
        ...placeFacts(run).map((fact) =>
          fact.line === undefined ? fact : { ...fact, line: `Run ${run.run} on ${whereOf(run)}` },
        ),
        ...authorNotes(run).flatMap((text) =>
          factOf('Begun', text, { line: `Begun ${text}`, isAside: true }),
        ),
        ...factOf('Undo of', run.undoes, { line: `Undo of run ${run.undoes ?? ''}`, isAside: true }),
        ...sittings.map(sittingFact),
        ...factOf('Finished', finishedAt, { line: `Finished at ${finishedAt ?? ''}`, isAside: true }),
      ],
      blocks: [{ block: 'ledger', list: mapLazily(changes, lineOf), isTold: false, isApart: true, sections }],
      totals: totalsOf(sections),
      ending: { headline: `${capitalise(run.result)}: ${wordFates(counts, false)}.`, rest: '' },
    },
  );
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
  const { address, action, known, why = '' } = change;
  const step = nameOf(change).slice(address.length).trim();
  return makeEntry(address, {
    notes: [action, step, NOTES[known] ?? '', why].filter((one) => one !== ''),
    isRisky: known !== 'done' && known !== 'already' && known !== 'not-attempted',
  });
}

function lineOf(change: RunChangeRecord): LedgerLine {
  const { action, known, why } = change;
  const note = NOTES[known] ?? why;
  return {
    ...{ sign: signOf(action), name: nameOf(change), notes: [], state: FATES[known].state },
    why: note === undefined ? '' : `: ${note}`,
  };
}

export function pageOfRuns(report: RunsReport): Page {
  const { runs } = report;
  const isCalm = runs.every((one) => toneOf(one) === 'calm');
  return makePage(report, {
    title: formatCount(runs.length, 'run'),
    tone: isCalm ? 'calm' : 'review',
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
  const started = `started at ${startedAt}`;
  return makeEntry(run, {
    notes: [result, describeProgress(one), started, whereOf(one), ...authorNotes(one), ...undoNotes(one)],
    isRisky: toneOf(one) === 'alarm',
  });
}

function describeProgress({ done: made, changes, counts, failed, inFlight }: RunRecord): string {
  const parts = (['create', 'update', 'replace', 'delete'] as const).flatMap((action) => {
    const count = counts?.[action] ?? 0;
    return count === 0 ? [] : [`${signOf(action)}${count}`];
  });
  const what = parts.length === 0 ? '' : ` (${parts.join(' ')})`;
  const others = [...ifAny(failed, 'failed'), ...ifAny(inFlight, 'in doubt')];
  return [`${made} of ${changes} done${what}`, ...others].join(', ');
}

/** `by anna, 1a2b3c4d of main` */
function authorNotes({ by, commit, branch }: RunRecord): readonly string[] {
  const of = [commit?.slice(0, 8), branch].filter((one) => one !== undefined).join(' of ');
  const parts = [by === undefined ? '' : `by ${by}`, of].filter((one) => one !== '');
  return parts.length === 0 ? [] : [parts.join(', ')];
}

function undoNotes({ undoes }: RunRecord): readonly string[] {
  return undoes === undefined ? [] : [`undo of ${numberOfRun(undoes) ?? undoes}`];
}
