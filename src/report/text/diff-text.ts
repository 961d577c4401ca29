import { groupBy } from '../../model/collect.ts';
import type { Difference, DifferingField } from '../../plan/compare/compare-states.ts';
import type { Uncompared } from '../../plan/compare/uncompared.ts';
import { HIDDEN } from '../../plan/secrets/redact.ts';
import { onOneLine } from '../escape.ts';
import { fieldChangeOf, wordsOf, type DiffReport, type SourceRecord } from '../../outcome/diff.ts';
import { renderField } from './change-text.ts';
import { formatCount, renderPlace } from './phrases.ts';
import { describeSelection } from './plan-text.ts';
import type { TextOptions } from './text-options.ts';

/** What only one side has, what differs, what is meant to differ, and what was not compared; totals last. */
export function* renderDiff(report: DiffReport, options: TextOptions): Generator<string> {
  const { paint } = options;
  const { from, to, differences, selection } = report;
  const lines = [
    `From ${describeSource(from)}`,
    `To   ${describeSource(to)}`,
    ...(selection === undefined ? [] : [describeSelection(selection)]),
  ];
  yield `${paint.bold(lines.join('\n'))}\n\n`;
  const sorted = groupBy(differences, ({ difference }) => difference);
  const sections: readonly (readonly [title: string, entries: Iterable<string>])[] = [
    [`Only in ${onOneLine(from.name)}:`, renderAll(sorted.get('only-from'), options)],
    [`Only in ${onOneLine(to.name)}:`, renderAll(sorted.get('only-to'), options)],
    ['Different:', renderAll(sorted.get('differs'), options)],
    ['Meant to differ:', renderExpected(report)],
    ['Not compared:', report.uncompared.map((one) => renderUncompared(one, report))],
  ];
  for (const [title, entries] of sections) {
    let isEmpty = true;
    for (const entry of entries) {
      if (isEmpty) yield `${paint.bold(title)}\n`;
      isEmpty = false;
      yield entry;
    }
    if (!isEmpty) yield '\n';
  }
  yield renderTotals(report, options);
}

function describeSource({ name, type, environment, gateway, takenAt }: SourceRecord): string {
  const where = environment === undefined ? '' : ` of ${onOneLine(environment)}`;
  switch (type) {
    case undefined:
    case 'files':
      return `${onOneLine(name)}: files`;
    case 'live':
      return `${onOneLine(name)}: gateway ${onOneLine(gateway ?? '')}`;
    case 'snapshot':
      return `${onOneLine(name)}: snapshot${where} of ${onOneLine(takenAt ?? '')}`;
    default:
      return type satisfies never;
  }
}

const SYMBOLS: Readonly<
  Record<Difference['difference'], readonly [text: string, colour: 'red' | 'yellow' | 'green']>
> = {
  'only-from': ['-', 'red'],
  'only-to': ['+', 'green'],
  differs: ['~', 'yellow'],
};

function* renderAll(found: readonly Difference[] = [], options: TextOptions): Generator<string> {
  const { paint, detail } = options;
  for (const { address, difference, at, fields } of found) {
    const [symbol, colour] = SYMBOLS[difference];
    const places = new Set([at?.from, at?.to].map((place) => renderPlace(place, paint)));
    yield `  ${paint[colour](symbol)} ${paint.bold(onOneLine(address))}${[...places].join('')}\n`;
    if (detail !== 'summary') for (const field of fields) yield renderDiffering(field, options);
  }
}

function renderDiffering(field: DifferingField, options: TextOptions): string {
  if (field.secret !== true) return renderField(fieldChangeOf(field), undefined, options);
  return `      ${options.paint.yellow('~')} ${onOneLine(field.path)}: ${HIDDEN}, different\n`;
}

function* renderExpected({ expected }: DiffReport): Generator<string> {
  for (const [reason, entries] of groupBy(expected, ({ reason }) => reason)) {
    const fields = entries.reduce((sum, one) => sum + one.fields.length, 0);
    const what = [
      ...(fields === 0 ? [] : [`${formatCount(fields, 'field')} of`]),
      formatCount(entries.length, 'object'),
    ].join(' ');
    yield `  ${what}: ${onOneLine(reason)}\n`;
  }
}

function renderUncompared(one: Uncompared, report: DiffReport): string {
  const name = one.reason === 'unavailable' ? one.kind : one.address;
  return `  ${onOneLine(name)}: ${onOneLine(wordsOf(one, report))}\n`;
}

function renderTotals(
  { summary, from, to, selection, differences }: DiffReport,
  { paint }: TextOptions,
): string {
  const { onlyFrom, onlyTo, differs, same, expected, ignored, unmanaged } = summary;
  const found = [
    `${differs} different`,
    `${onlyFrom} only in ${onOneLine(from.name)}`,
    `${onlyTo} only in ${onOneLine(to.name)}`,
  ].join(', ');
  const rest = [
    `${formatCount(same, 'object')} the same.`,
    ...(expected === 0 ? [] : [`${expected} meant to differ.`]),
    ...(ignored === 0 ? [] : [`${ignored} ignored.`]),
    ...(unmanaged === 0 ? [] : [`${unmanaged} not managed here.`]),
    ...(selection === undefined ? [] : [`${selection.unselected} not selected.`]),
  ].join(' ');
  return `${paint.bold(differences.length === 0 ? 'No differences.' : `Differences: ${found}.`)} ${rest}\n`;
}
