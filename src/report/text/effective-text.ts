import { onOneLine } from '../escape.ts';
import { formatChain, formatProtection, nameOf, reasonOf, scopeIn } from '../page/chain-lines.ts';
import type { EffectiveReport, LinkRecord } from '../../outcome/effective.ts';
import { groupPrincipals, namePrincipals } from '../page/principals.ts';
import { renderCoverage } from './coverage-text.ts';
import { formatCount } from './phrases.ts';
import { renderTable } from './table.ts';
import type { TextOptions } from './text-options.ts';
import { wrap } from './wrap.ts';

/** Which interceptors run for whom; principals with equal chains are told of once. After a comparison, only what differs. */
export function* renderEffective(report: EffectiveReport, options: TextOptions): Generator<string> {
  const { drift, principals, coverage } = report;
  if (coverage !== undefined) {
    yield* renderCoverage(report, coverage, options);
    return;
  }
  if (drift === undefined)
    for (const group of groupPrincipals(principals, ({ chain }) => [chain])) {
      yield renderWho(namePrincipals(group), options);
      yield* renderChain(group[0].chain, options);
      yield '\n';
    }
  else
    for (const group of groupPrincipals(drift, ({ declared, live }) => [declared, live])) {
      const [{ declared, live }] = group;
      yield renderWho(namePrincipals(group), options);
      yield renderLine(`declared: ${formatChain(declared)}`, options);
      yield renderLine(`live:     ${formatChain(live)}`, options);
      yield '\n';
    }
  yield `${renderTotals(report, options)}\n`;
}

function renderWho(who: string, { paint, width }: TextOptions): string {
  return `${paint.bold(wrap(onOneLine(who), width, 2).join('\n'))}\n`;
}

function renderLine(text: string, { width }: TextOptions): string {
  return `${wrap(`  ${onOneLine(text)}`, width, 4).join('\n')}\n`;
}

const TITLES = ['PRIORITY', 'NAME', 'CLASS', 'WHY', 'INSTEAD OF', 'DECLARED AT'];
const TOPIC_TITLES = [...TITLES, 'TOPIC'];

function* renderChain(chain: readonly LinkRecord[], options: TextOptions): Generator<string> {
  const isExplained = chain.some(({ overrides }) => overrides !== undefined);
  if (!isExplained) yield renderLine(formatChain(chain), options);
  else {
    const isNarrowed = chain.some(({ topic }) => topic !== undefined);
    yield* renderTable(isNarrowed ? TOPIC_TITLES : TITLES, chain.map(rowOf), options);
  }
  yield options.paint.dim(renderLine(`protection: ${formatProtection(chain)}`, options));
}

function rowOf({ address, pluginClass, priority, overrides = [], at, topic }: LinkRecord): readonly string[] {
  return [
    String(priority),
    nameOf(address),
    pluginClass.slice(pluginClass.lastIndexOf('.') + 1),
    reasonOf(address),
    overrides.length === 0 ? '-' : overrides.map(scopeIn).join('; '),
    at === undefined ? '-' : `${at.file}:${at.line}`,
    ...(topic === undefined ? [] : [topic.covers === 'yes' ? topic.reason : `not certain: ${topic.reason}`]),
  ];
}

function renderTotals(
  { summary, source, gateway, drift, topic }: EffectiveReport,
  { paint }: TextOptions,
): string {
  const { principals, chains, unchecked = 0 } = summary;
  const counted = formatCount(principals, 'principal');
  const where = onOneLine(gateway ?? '');
  if (drift === undefined) {
    const from = source === 'files' ? 'by the files' : `on ${where}`;
    const narrowed = topic === undefined ? '' : ` for topic ${topic}`;
    return `${paint.bold(`${counted}, ${formatCount(chains, 'chain')}${narrowed}`)} ${from}.`;
  }
  const found = drift.length === 0 ? 'No drift' : 'Drift';
  const of = drift.length === 0 ? counted : `${drift.length} of ${counted}`;
  const rest = unchecked === 0 ? '' : ` ${unchecked} not compared.`;
  return `${paint.bold(`${found} for ${of}.`)} Compared ${formatCount(chains, 'chain')} of the files with ${where}.${rest}`;
}
