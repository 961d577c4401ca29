import { formatCount } from '../../model/text/list.ts';
import { groupBy } from '../../model/collect.ts';
import { fieldDifferenceOf, wordsOf, type DiffReport, type SourceRecord } from '../../outcome/diff.ts';
import { countLeftAlone, ifAny, comparedOnly } from '../phrases.ts';
import type { Edit } from './edits.ts';
import { listSection, makeEntry, makePage, notesOf } from './make-page.ts';
import type { Block, Ending, Entry, Fact, Note, Page, Sign } from './page.ts';
import { selectionFacts } from './plan-page.ts';
import { totalsOf } from './totals.ts';

export function pageOfDiff(report: DiffReport): Page {
  const { from, to, differences, expected, result, summary, selection } = report;
  const sorts: readonly (readonly [DiffReport['differences'][number]['difference'], string, Sign])[] = [
    ['only-from', `Only in ${from.name}`, '-'],
    ['only-to', `Only in ${to.name}`, '+'],
    ['differs', 'Different', '~'],
  ];
  const sorted = groupBy(differences, ({ difference }) => difference);
  const found = sorts.flatMap(([sort, title, sign]) =>
    listSection(
      title,
      sign,
      (sorted.get(sort) ?? []).map((one) => entryOf(one)),
    ),
  );
  const titles = {
    differs: `${summary.differs} different, ${summary.onlyFrom} only in ${from.name}, ${summary.onlyTo} only in ${to.name}`,
    'no-differences': `No differences between ${from.name} and ${to.name}${comparedOnly(summary.uncompared, selection)}`,
    incomplete: `Not compared in full: ${from.name} and ${to.name}`,
    blocked: 'Comparison: blocked',
    error: 'Comparison: failed',
  };
  return makePage(report, {
    title: titles[result],
    facts: [sourceFact('From', from), sourceFact('To', to), ...selectionFacts(selection)],
    blocks: [
      ...found,
      ...listSection(
        'Meant to differ',
        '?',
        expected.map((one) => entryOf(one, one.reason)),
        { fold: 'notes' },
      ),
      ...uncomparedOf(report),
    ],
    totals: totalsOf(() => found),
    closing: [`${report.summary.same} the same`, ...countLeftAlone(report.summary)].join(', '),
    ending: endingOf(report),
  });
}

function sourceFact(label: string, source: SourceRecord): Fact {
  const text = describeSource(source);
  return { label, text, isCode: true, line: `${label.padEnd(4)} ${text}` };
}

function describeSource({ name, type, environment, gateway, takenAt }: SourceRecord): string {
  const isNamed = environment === undefined || name.endsWith(environment);
  const where = environment === undefined ? '' : ` of ${environment}`;
  switch (type) {
    case undefined:
    case 'files':
      return `${name}: files`;
    case 'live':
      return `${name}: gateway ${gateway ?? ''}${isNamed ? '' : `, environment ${environment}`}`;
    case 'snapshot':
      return `${name}: snapshot${where} of ${takenAt ?? ''}${gateway === undefined ? '' : `, of ${gateway}`}`;
    default:
      return type satisfies never;
  }
}

const SIGNS = { 'only-from': '-', 'only-to': '+', differs: '~' } as const;

function entryOf(
  { address, difference, at, fields }: DiffReport['differences'][number],
  ...notes: readonly string[]
): Entry {
  const edits = fields.map((field): Edit => {
    const { path, secret } = field;
    return secret === true ? { edit: 'secret', path } : { edit: 'field', field: fieldDifferenceOf(field) };
  });
  const [place, other] = [at?.from, at?.to].filter((one) => one !== undefined);
  return makeEntry(address, { sign: SIGNS[difference], at: place, also: other, notes, edits });
}

function uncomparedOf(report: DiffReport): readonly Block[] {
  const notes = report.uncompared.map((one): Note => ({
    name: one.reason === 'unavailable' ? one.kind : one.address,
    text: wordsOf(one, report),
  }));
  return notesOf('Not compared', 'note', 'terms', notes);
}

function endingOf({ summary, from, to, selection, differences }: DiffReport): Ending {
  const { onlyFrom, onlyTo, differs, same, expected, ignored, unmanaged, uncompared } = summary;
  const found = [
    `${differs} different`,
    `${onlyFrom} only in ${from.name}`,
    `${onlyTo} only in ${to.name}`,
  ].join(', ');
  const rest = [
    `${formatCount(same, 'object')} the same.`,
    ...ifAny(expected, 'meant to differ.'),
    ...ifAny(ignored, 'ignored.'),
    ...ifAny(unmanaged, 'not managed by this project.'),
    ...ifAny(uncompared, 'not compared.'),
    ...(selection === undefined ? [] : [`${selection.unselected} not selected.`]),
  ].join(' ');
  return {
    headline:
      differences.length === 0 ? `No differences${comparedOnly(uncompared)}.` : `Differences: ${found}.`,
    rest: ` ${rest}`,
  };
}
