import { onOneLine } from '../escape.ts';
import { formatCoverage, formatFinding, formatUncovered } from '../page/coverage-lines.ts';
import type { CoverageRecord } from '../../outcome/coverage-record.ts';
import type { EffectiveReport } from '../../outcome/effective.ts';
import { namePrincipals } from '../page/principals.ts';
import { formatCount } from './phrases.ts';
import type { TextOptions } from './text-options.ts';
import { wrap } from './wrap.ts';

/** Which topics have no protection, for whom; and what is wrong with interceptors. */
export function* renderCoverage(
  report: EffectiveReport,
  coverage: CoverageRecord,
  options: TextOptions,
): Generator<string> {
  const { paint } = options;
  for (const group of coverage.uncovered) {
    yield `${paint.bold(renderLines(namePrincipals(group.principals), 2, options))}\n`;
    for (const line of formatUncovered(group, coverage)) yield `${renderLines(`  ${line}`, 4, options)}\n`;
    yield '\n';
  }
  for (const finding of coverage.interceptors) yield `${renderLines(formatFinding(finding), 2, options)}\n`;
  if (coverage.interceptors.length > 0) yield '\n';
  const where = report.source === 'files' ? 'by the files' : `on ${onOneLine(report.gateway ?? '')}`;
  const without = `${formatCoverage(report.summary)} without ${coverage.protection ?? 'protection'}`;
  yield `${paint.bold(without)} for at least one of ${formatCount(report.summary.principals, 'principal')} ${where}.\n`;
}

function renderLines(text: string, indent: number, { width }: TextOptions): string {
  return wrap(onOneLine(text), width, indent).join('\n');
}
