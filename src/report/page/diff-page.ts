import { HIDDEN } from '../../plan/secrets/redact.ts';
import { onOneLine } from '../escape.ts';
import { linesOfField, type Line } from './change-lines.ts';
import { fieldChangeOf, wordsOf, type DiffReport } from '../../outcome/diff.ts';
import { listSection, totalsOf } from './groups.ts';
import type { Entry, Fact, Page, Sign } from './page.ts';

export function pageOfDiff(report: DiffReport): Page {
  const { from, to, differences, expected, uncompared, result, summary, problems } = report;
  const sorts: readonly (readonly [DiffReport['differences'][number]['difference'], string, Sign])[] = [
    ['differs', 'Different', '~'],
    ['only-from', `Only in ${from.name}`, '-'],
    ['only-to', `Only in ${to.name}`, '+'],
  ];
  const found = sorts.flatMap(([sort, title, sign]) =>
    listSection(
      title,
      sign,
      differences.filter(({ difference }) => difference === sort).map((one) => entryOf(one)),
    ),
  );
  const titles = {
    differs: `${summary.differs} different, ${summary.onlyFrom} only in ${from.name}, ${summary.onlyTo} only in ${to.name}`,
    'no-differences': `No differences between ${from.name} and ${to.name}`,
    blocked: 'Comparison: blocked',
    error: 'Comparison: failed',
  };
  return {
    title: titles[result],
    tone: result === 'no-differences' ? 'calm' : result === 'differs' ? 'review' : 'alarm',
    facts: [factOf('From', from), factOf('To', to)],
    risks: uncompared.map((one) => ({
      name: one.reason === 'unavailable' ? one.kind : one.address,
      text: `not compared: ${wordsOf(one, report)}`,
    })),
    problems,
    sections: [
      ...found,
      ...listSection(
        'Meant to differ',
        '?',
        expected.map((one) => entryOf(one, one.reason)),
      ),
    ],
    totals: totalsOf(found),
    closing: `${summary.same} the same`,
  };
}

function factOf(label: string, { name, gateway }: DiffReport['from']): Fact {
  return { label, text: gateway === undefined ? name : `${name} (${gateway})`, isCode: true };
}

function entryOf(
  { address, at, fields }: DiffReport['differences'][number],
  ...notes: readonly string[]
): Entry {
  const lines = (): readonly Line[] =>
    fields.flatMap((field): readonly Line[] =>
      field.secret === true
        ? [{ sign: '!', text: `${onOneLine(field.path)}: ${HIDDEN}, different` }]
        : linesOfField(fieldChangeOf(field), undefined, {}),
    );
  return { names: [address], at: at?.from ?? at?.to, notes, isRisky: false, lines };
}
