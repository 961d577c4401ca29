import { onOneLine } from '../escape.ts';
import { formatChain, formatProtection } from './chain-lines.ts';
import { formatCoverage, formatFinding, formatUncovered } from './coverage-lines.ts';
import type { CoverageRecord } from '../../outcome/coverage-record.ts';
import type { EffectiveReport, LinkRecord } from '../../outcome/effective.ts';
import { groupPrincipals, namePrincipals } from './principals.ts';
import { listSection } from './groups.ts';
import type { Entry, Fact, Page } from './page.ts';

/** Which interceptors run for whom; principals with equal chains are one entry. */
export function pageOfEffective(report: EffectiveReport): Page {
  const { result, summary, environment, gateway, drift, topic, coverage, problems } = report;
  const where = environment === undefined ? '' : ` in ${environment}`;
  const counts =
    coverage === undefined
      ? `${summary.principals} principals, ${summary.chains} chains${topic === undefined ? '' : ` for topic ${topic}`}`
      : `${formatCoverage(summary)} without ${coverage.protection ?? 'protection'}`;
  const found = drift !== undefined && drift.length > 0 ? `drift for ${drift.length} of ` : '';
  const facts: readonly Fact[] =
    gateway === undefined ? [] : [{ label: 'Gateway', text: gateway, isCode: true }];
  return {
    title: `Effective chains${where}: ${hasFailed(result) ? result : `${found}${counts}`}`,
    tone: hasFailed(result) ? 'alarm' : result === 'drift' || result === 'uncovered' ? 'review' : 'calm',
    facts,
    risks: [],
    problems,
    sections:
      coverage !== undefined
        ? listCoverage(coverage)
        : drift === undefined
          ? listChains(report)
          : listDrift(drift),
    totals: [],
    closing: '',
  };
}

function hasFailed(result: EffectiveReport['result']): boolean {
  return !['ok', 'drift', 'no-drift', 'covered', 'uncovered'].includes(result);
}

function listChains({ principals }: EffectiveReport): Page['sections'] {
  const groups = groupPrincipals(principals, ({ chain }) => [chain]);
  const entriesOf = (isProtected: boolean): readonly Entry[] =>
    groups
      .filter(([{ chain }]) => chain.some(({ protects }) => protects.length > 0) === isProtected)
      .map((group) => entryOf(namePrincipals(group), group[0].chain, !isProtected));
  return [
    ...listSection('Without protection', '!', entriesOf(false)),
    ...listSection('Protected', '✓', entriesOf(true)),
  ];
}

function entryOf(who: string, chain: readonly LinkRecord[], isRisky: boolean): Entry {
  return {
    names: [who],
    notes: isRisky ? [] : [formatProtection(chain)],
    isRisky,
    lines: () => [{ sign: ' ', text: onOneLine(formatChain(chain)) }],
  };
}

function listCoverage(coverage: CoverageRecord): Page['sections'] {
  const entryOf = (name: string, notes: readonly string[]): Entry => ({
    names: [name],
    notes,
    isRisky: true,
    lines: () => [],
  });
  const uncovered = coverage.uncovered.map((group): Entry => ({
    ...entryOf(namePrincipals(group.principals), []),
    lines: () => formatUncovered(group, coverage).map((text) => ({ sign: ' ', text: onOneLine(text) })),
  }));
  const interceptors = coverage.interceptors.map((one) => ({
    ...entryOf(one.address, [one.finding]),
    lines: () => [{ sign: ' ' as const, text: onOneLine(formatFinding(one)) }],
  }));
  return [
    ...listSection('Topics without protection', '!', uncovered),
    ...listSection('Interceptors to look at', '!', interceptors),
  ];
}

function listDrift(drift: NonNullable<EffectiveReport['drift']>): Page['sections'] {
  const groups = groupPrincipals(drift, ({ declared, live }) => [declared, live]);
  const entries = groups.map((group): Entry => {
    const [{ declared, live }] = group;
    return {
      names: [namePrincipals(group)],
      notes: [],
      isRisky: true,
      lines: () => [
        { sign: '-', text: onOneLine(`declared ${formatChain(declared)}`) },
        { sign: '+', text: onOneLine(`live     ${formatChain(live)}`) },
      ],
    };
  });
  return listSection('Other chains on the gateway', '~', entries);
}
