import type { Json } from '../../model/json/json.ts';
import type { AcceptedDrift, Drift, DriftField } from '../../plan/drift/drift.ts';
import { isNarrowed } from '../../plan/change/plan.ts';
import type { Compared, Unchecked } from '../view/drift-report.ts';
import { onOneLine } from '../escape.ts';
import type { Paint } from '../paint.ts';
import { header, objects, unmanagedCount, valueText } from './plan-text.ts';

/** Drift for people: what is not as declared, what is accepted, what nobody could compare, totals last. */
export function driftText({ plan, judged, unchecked }: Compared, paint: Paint): string {
  const { drift, accepted } = judged;
  const of = (sort: Drift['drift']): readonly string[] =>
    drift.filter((one) => one.drift === sort).map((one) => driftLines(one, paint));
  const sections = [
    section('Changed outside of git:', of('changed'), paint),
    section('Declared, and not on the gateway:', of('missing'), paint),
    section('Unclaimed, managed here and in no file:', of('unclaimed'), paint),
    section('Removed in files, and still on the gateway:', of('remaining'), paint),
    section(
      'Accepted:',
      accepted.map((one) => acceptedLines(one, paint)),
      paint,
    ),
    section('Could not be checked:', unchecked.map(uncheckedLine), paint),
  ];
  const body = sections.filter((text) => text !== '').map((text) => `${text}\n`);
  return [header(plan, paint), ...body, totals({ plan, judged, unchecked }, paint)].join('');
}

function section(title: string, lines: readonly string[], paint: Paint): string {
  return lines.length === 0 ? '' : `${paint.bold(title)}\n${lines.join('')}`;
}

const SYMBOLS: Readonly<Record<Drift['drift'], string>> = {
  missing: '-',
  changed: '~',
  unclaimed: '+',
  remaining: '+',
};

function driftLines({ address, drift, at, fields }: Drift, paint: Paint): string {
  const place = at === undefined ? '' : paint.dim(`  ${onOneLine(at.file)}:${at.line}`);
  const colour = {
    missing: paint.red,
    changed: paint.yellow,
    unclaimed: paint.green,
    remaining: paint.green,
  }[drift];
  const line = `  ${colour(SYMBOLS[drift])} ${paint.bold(onOneLine(address))}${place}\n`;
  return `${line}${fields.map((field) => fieldLine(field)).join('')}`;
}

function acceptedLines(accepted: AcceptedDrift, paint: Paint): string {
  const { reason, owner, expires } = accepted;
  const why = `      ${onOneLine(reason)} (${onOneLine(owner)}, until ${onOneLine(expires)})\n`;
  return `${driftLines(accepted, paint)}${paint.dim(why)}`;
}

function fieldLine({ path, declared, live }: DriftField): string {
  const side = (value: Json | undefined): string => (value === undefined ? 'nothing' : valueText(value));
  return `      ${onOneLine(path)}: declared ${side(declared)}, there ${side(live)}\n`;
}

function uncheckedLine(one: Unchecked): string {
  switch (one.reason) {
    case 'unavailable':
      return `  ${one.kind}: the gateway does not serve it: ${onOneLine(one.words)}\n`;
    case 'cannot-tell':
      return `  ${onOneLine(one.path)} of ${onOneLine(one.address)}: part of it has no value here\n`;
    default:
      return one satisfies never;
  }
}

function totals({ plan, judged: { drift, accepted } }: Compared, paint: Paint): string {
  const count = (sort: Drift['drift']): string =>
    `${drift.filter((one) => one.drift === sort).length} ${sort}`;
  const remaining = drift.some((one) => one.drift === 'remaining') ? `, ${count('remaining')}` : '';
  const found = `${count('changed')}, ${count('missing')}, ${count('unclaimed')}${remaining}`;
  const rest = [
    ...(accepted.length === 0 ? [] : [`${accepted.length} accepted.`]),
    `${objects(plan.counts.unchanged)} as declared.`,
    ...(plan.counts.ignored === 0 ? [] : [`${plan.counts.ignored} ignored.`]),
    ...(isNarrowed(plan) ? [`${plan.unselected} not looked at.`] : []),
  ].join(' ');
  return `${paint.bold(drift.length === 0 ? 'No drift.' : `Drift: ${found}.`)} ${rest}${unmanagedCount(plan)}\n`;
}
