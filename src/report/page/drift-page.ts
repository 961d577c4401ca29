import type { Json } from '../../model/json/json.ts';
import type { Drift, DriftField, Unchecked } from '../../plan/drift/drift.ts';
import { onOneLine } from '../escape.ts';
import { formatValues, type Line } from './change-lines.ts';
import type { DriftReport } from '../../outcome/drift.ts';
import { listSection, totalsOf } from './groups.ts';
import type { Entry, Page, Sign } from './page.ts';
import { factsOf } from './plan-page.ts';

const SECTIONS: readonly (readonly [Drift['drift'], title: string, Sign])[] = [
  ['changed', 'Changed on the gateway', '~'],
  ['missing', 'Missing on the gateway', '-'],
  ['unclaimed', 'Unclaimed', '+'],
  ['remaining', 'Removed in the files, but still on the gateway', '+'],
];

export function pageOfDrift(report: DriftReport): Page {
  const { drift, accepted, unchecked, result, environment, summary, problems } = report;
  const found = SECTIONS.flatMap(([sort, title, sign]) =>
    listSection(
      title,
      sign,
      drift.filter((one) => one.drift === sort).map((one) => entryOf(one)),
    ),
  );
  const counts = SECTIONS.filter(([sort]) => summary[sort] > 0)
    .map(([sort]) => `${summary[sort]} ${sort}`)
    .join(', ');
  const where = environment === undefined ? '' : ` in ${environment}`;
  const titles = {
    drift: `Drift${where}: ${counts}`,
    'no-drift': `No drift${where}`,
    blocked: `Drift${where}: blocked`,
    error: `Drift${where}: failed`,
  };
  return {
    title: titles[result],
    tone: result === 'no-drift' ? 'calm' : result === 'drift' ? 'review' : 'alarm',
    facts: factsOf(report),
    risks: unchecked.map(noteOf),
    problems,
    sections: [
      ...found,
      ...listSection(
        'Accepted',
        '?',
        accepted.map((one) => entryOf(one, `${one.reason} (${one.owner}, until ${one.expires})`)),
      ),
    ],
    totals: totalsOf(found),
    closing: `${summary.asDeclared} as declared`,
  };
}

function entryOf({ address, at, fields }: Drift, ...notes: readonly string[]): Entry {
  return { names: [address], at, notes, isRisky: false, lines: () => fields.flatMap(linesOfField) };
}

/** What files say as removed, what is live as added. */
function linesOfField({ path, declared, live }: DriftField): readonly Line[] {
  const [from, to] = formatValues(declared ?? null, live ?? null);
  const side = (value: Json | undefined, text: string): string => (value === undefined ? 'not set' : text);
  return [
    { sign: '-', text: `declared ${onOneLine(path)}: ${side(declared, from)}` },
    { sign: '+', text: `live     ${onOneLine(path)}: ${side(live, to)}` },
  ];
}

function noteOf(one: Unchecked): { readonly name: string; readonly text: string } {
  switch (one.reason) {
    case 'unavailable':
      return { name: one.kind, text: `not checked: not served by this gateway: ${one.words}` };
    case 'cannot-tell':
      return { name: one.address, text: `not checked at ${one.path}: a variable in it has no value here` };
    default:
      return one satisfies never;
  }
}
