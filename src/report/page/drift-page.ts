import { formatCount } from '../../model/text/list.ts';
import type { Uncompared } from '../../model/field-difference.ts';
import type { DriftReport } from '../../outcome/drift.ts';
import { countLeftAlone, ifAny, comparedOnly } from '../phrases.ts';
import type { Edit } from './edits.ts';
import { listSection, makeEntry, makePage, notesOf } from './make-page.ts';
import type { Ending, Entry, Note, Page, Sign } from './page.ts';
import { describeUnmanaged, factsOf } from './plan-page.ts';
import { totalsOf } from './totals.ts';

type DriftRecord = DriftReport['drift'][number];

const SECTIONS: readonly (readonly [
  DriftRecord['drift'],
  word: string,
  title: string,
  Sign,
  heading?: string,
])[] = [
  ['changed', 'different', 'Declared and live differ', '~'],
  ['missing', 'not live', 'Declared, not live', '-'],
  ['unclaimed', 'orphaned', 'Orphaned', '+', 'Orphaned (managed by this project, but in no file)'],
  ['remaining', 'remaining', 'Listed in a Removal document, but still on the gateway', '+'],
];

type Moved = Exclude<DriftRecord['moved'], 'mixed' | undefined>;

/** Who moved, in words; what is unclaimed is in no file. */
const MOVES: Readonly<Record<DriftRecord['drift'], Readonly<Record<Moved, string>>>> = {
  changed: {
    gateway: 'changed on the gateway',
    files: 'changed in the files, not applied yet',
  },
  missing: { gateway: 'deleted on the gateway', files: 'new in the files, not applied yet' },
  unclaimed: { gateway: 'created on the gateway', files: 'no longer in the files' },
  remaining: { gateway: 'created on the gateway', files: 'listed in a Removal document, not applied yet' },
};

/** The same of a snapshot, which only says whether the gateway has changed since. */
function movesSince(since: string): typeof MOVES {
  const changed = {
    gateway: `changed on the gateway since ${since}`,
    files: `not changed on the gateway since ${since}`,
  };
  const created = {
    gateway: `created on the gateway since ${since}`,
    files: `on the gateway at ${since} already`,
  };
  const missing = {
    gateway: `deleted on the gateway since ${since}`,
    files: `not on the gateway at ${since} either`,
  };
  return { changed, missing, unclaimed: created, remaining: created };
}

export function pageOfDrift(report: DriftReport): Page {
  const { drift, accepted, result, environment, summary, since } = report;
  const moves = since === undefined ? MOVES : movesSince(since);
  const found = SECTIONS.flatMap(([sort, , title, sign, heading]) =>
    listSection(
      title,
      sign,
      drift.filter((one) => one.drift === sort).map((one) => entryOf(one, moves)),
      heading === undefined ? {} : { heading },
    ),
  );
  const counts = SECTIONS.filter(([sort]) => summary[sort] > 0)
    .map(([sort, word]) => `${summary[sort]} ${word}`)
    .join(', ');
  const where = environment === undefined ? '' : ` in ${environment}`;
  const titles = {
    drift: `Drift${where}: ${counts}`,
    'no-drift': `No drift${where}${comparedOnly(summary.unchecked, report.selection)}`,
    incomplete: `Drift${where}: not all could be compared`,
    blocked: `Drift${where}: blocked`,
    error: `Drift${where}: failed`,
  };
  return makePage(report, {
    title: titles[result],
    facts: factsOf(report),
    blocks: [
      ...found,
      ...listSection(
        'Accepted',
        '?',
        accepted.map((one) => entryOf(one, moves, `${one.reason} (${one.owner}, until ${one.expires})`)),
      ),
      ...notesOf('Not checked', 'note', 'terms', report.unchecked.map(noteOf)),
    ],
    totals: totalsOf(() => found),
    closing: [`${report.summary.asDeclared} as declared`, ...countLeftAlone(report.summary)].join(', '),
    ending: endingOf(report),
  });
}

function entryOf(record: DriftRecord, moves: typeof MOVES, ...reasons: readonly string[]): Entry {
  const { address, at, drift, fields } = record;
  const headingOf = (by: Moved | undefined): string =>
    by === undefined ? 'not known whether the files or the gateway changed' : moves[drift][by];
  const edits = fields.map(({ moved: by, ...field }, place): Edit => {
    const isSame = record.moved !== 'mixed' || (place > 0 && by === fields[place - 1]?.moved);
    return { edit: 'drift', ...field, heading: isSame ? undefined : headingOf(by) };
  });
  const { moved } = record;
  const notes = moved === undefined || moved === 'mixed' ? reasons : [moves[drift][moved], ...reasons];
  const [, , , sign] = SECTIONS.find(([sort]) => sort === drift) ?? SECTIONS[0] ?? [];
  return makeEntry(address, { at, sign, notes, edits });
}

/** How many of the objects were moved by whom, if that is known of any. */
function countMoves({ drift, since }: Pick<DriftReport, 'drift' | 'since'>): string {
  const count = (by: Moved): number =>
    drift.filter(
      ({ moved, fields }) => moved === by || (moved === 'mixed' && fields.some((one) => one.moved === by)),
    ).length;
  const [changed, unchanged] =
    since === undefined
      ? ['changed on the gateway', 'in the files, not applied yet']
      : [`changed on the gateway since ${since}`, `not changed on the gateway since ${since}`];
  const counts = [
    ...(count('gateway') === 0 ? [] : [`${count('gateway')} ${changed}`]),
    ...(count('files') === 0 ? [] : [`${count('files')} ${unchanged}`]),
  ];
  return counts.length === 0 ? '' : ` Of these, ${counts.join(', ')}.`;
}

function noteOf(one: Uncompared): Note {
  switch (one.reason) {
    case 'unavailable':
      return {
        name: one.kind,
        text: `not served by this gateway${one.objects === 0 ? '' : `, and not compared with ${formatCount(one.objects, 'object')} of the files`}: ${one.words}`,
      };
    case 'cannot-tell':
      return {
        name: one.address,
        path: one.path,
        text: 'a variable in it has no value here',
      };
    default:
      return one satisfies never;
  }
}

const NOT_JUDGED = ' What clients lose by it is not judged here: gwconf effective --compare says that.';

function endingOf(report: DriftReport): Ending {
  const { drift, summary, selection, manages } = report;
  const { changed, missing, unclaimed, remaining, accepted, asDeclared, ignored, unchecked } = summary;
  const found = [
    `${changed} different, ${missing} not live, ${unclaimed} orphaned`,
    ...ifAny(remaining, 'remaining'),
  ].join(', ');
  const rest = [
    ...ifAny(accepted, 'accepted.'),
    `${formatCount(asDeclared, 'object')} as declared.`,
    ...ifAny(ignored, 'ignored.'),
    ...ifAny(unchecked, 'not checked.'),
    ...(selection === undefined ? [] : [`${selection.unselected} not selected.`]),
  ].join(' ');
  return {
    headline: drift.length === 0 ? `No drift${comparedOnly(report.summary.unchecked)}.` : `Drift: ${found}.`,
    rest: `${countMoves(report)} ${rest}${describeUnmanaged(summary, manages)}${drift.length === 0 ? '' : NOT_JUDGED}`,
  };
}
