import type { Json } from '../../model/json/json.ts';
import type { Drift, DriftField, Unchecked } from '../../plan/drift/drift.ts';
import { onOneLine } from '../escape.ts';
import type { Paint } from '../paint.ts';
import type { DriftReport } from '../../outcome/drift.ts';
import { formatValues } from '../page/change-lines.ts';
import { formatCount, renderPlace } from './phrases.ts';
import { formatUnmanaged, renderHeader } from './plan-text.ts';

/** Drift by sort, then what is accepted and what was not checked; totals last. */
export function renderDrift(report: DriftReport, paint: Paint): string {
  const { drift, accepted, unchecked } = report;
  const sorted = (sort: Drift['drift']): readonly string[] =>
    drift.filter((one) => one.drift === sort).map((one) => renderOne(one, paint));
  const sections: readonly (readonly [title: string, entries: readonly string[]])[] = [
    ['Changed on the gateway:', sorted('changed')],
    ['Missing on the gateway:', sorted('missing')],
    ['Unclaimed (managed here, but in no file):', sorted('unclaimed')],
    ['Removed in the files, but still on the gateway:', sorted('remaining')],
    ['Accepted:', accepted.map((one) => renderAccepted(one, paint))],
    ['Not checked:', unchecked.map(renderUnchecked)],
  ];
  const body = sections
    .filter(([, entries]) => entries.length > 0)
    .map(([title, entries]) => `${paint.bold(title)}\n${entries.join('')}\n`);
  return [renderHeader(report, paint), ...body, renderTotals(report, paint)].join('');
}

const SYMBOLS: Readonly<Record<Drift['drift'], readonly [text: string, colour: 'red' | 'yellow' | 'green']>> =
  {
    missing: ['-', 'red'],
    changed: ['~', 'yellow'],
    unclaimed: ['+', 'green'],
    remaining: ['+', 'green'],
  };

function renderOne({ address, drift, at, fields }: Drift, paint: Paint): string {
  const [symbol, colour] = SYMBOLS[drift];
  const line = `  ${paint[colour](symbol)} ${paint.bold(onOneLine(address))}${renderPlace(at, paint)}\n`;
  return `${line}${fields.map(renderField).join('')}`;
}

function renderAccepted(accepted: DriftReport['accepted'][number], paint: Paint): string {
  const { reason, owner, expires } = accepted;
  const why = `      ${onOneLine(reason)} (${onOneLine(owner)}, until ${onOneLine(expires)})\n`;
  return `${renderOne(accepted, paint)}${paint.dim(why)}`;
}

function renderField({ path, declared, live }: DriftField): string {
  const [one, other] = formatValues(declared ?? null, live ?? null);
  const side = (value: Json | undefined, text: string): string => (value === undefined ? 'not set' : text);
  return `      ${onOneLine(path)}: declared ${side(declared, one)}, live ${side(live, other)}\n`;
}

function renderUnchecked(one: Unchecked): string {
  switch (one.reason) {
    case 'unavailable':
      return `  ${one.kind}: not served by this gateway: ${onOneLine(one.words)}\n`;
    case 'cannot-tell':
      return `  ${onOneLine(one.path)} of ${onOneLine(one.address)}: a variable in it has no value here\n`;
    default:
      return one satisfies never;
  }
}

function renderTotals({ summary, drift, selection, manages }: DriftReport, paint: Paint): string {
  const { changed, missing, unclaimed, remaining, accepted, asDeclared, ignored } = summary;
  const found = [
    `${changed} changed, ${missing} missing, ${unclaimed} unclaimed`,
    ...(remaining === 0 ? [] : [`${remaining} remaining`]),
  ].join(', ');
  const rest = [
    ...(accepted === 0 ? [] : [`${accepted} accepted.`]),
    `${formatCount(asDeclared, 'object')} as declared.`,
    ...(ignored === 0 ? [] : [`${ignored} ignored.`]),
    ...(selection === undefined ? [] : [`${selection.unselected} not selected.`]),
  ].join(' ');
  const headline = paint.bold(drift.length === 0 ? 'No drift.' : `Drift: ${found}.`);
  return `${headline} ${rest}${formatUnmanaged(summary, manages)}\n`;
}
