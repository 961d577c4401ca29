import { onOneLine } from '../escape.ts';
import type { TextOptions } from './text-options.ts';
import type { NormalisationCount, SelftestReport } from '../../outcome/selftest.ts';
import type { Lazy } from '../../outcome/lazy.ts';
import { renderChange } from './change-text.ts';
import { alignColumns, formatCount } from './phrases.ts';

const REASONS: Readonly<Record<NormalisationCount['reason'], string>> = {
  'unknown-field': 'field unknown to gwconf',
  null: 'null for a field that is not set',
  'server-managed': 'field owned by the gateway',
  spelling: 'different spelling of the same value',
  default: 'default filled in',
  case: 'upper and lower case',
  order: 'order of a set',
};

/** A table of what was normalised, then the differences that remain. */
export function renderSelftest(report: Lazy<SelftestReport>, options: TextOptions): string {
  const { paint } = options;
  const { result, normalisations, changes, summary } = report;
  const cells = normalisations.map(({ kind, reason, count }) => [kind, REASONS[reason], String(count)]);
  const table = alignColumns(cells).map(
    (row, index) => `  ${row.join('  ')}  ${paint.dim(onOneLine(normalisations[index]?.path ?? ''))}\n`,
  );
  const differences = Array.from(changes, (change) => renderChange(change, options, true));
  return [
    ...(table.length === 0 ? [] : [`${paint.bold('Normalised before comparing:')}\n`, ...table, '\n']),
    ...(differences.length === 0
      ? []
      : [
          `${paint.bold('A plan of the gateway against itself should be empty, but has:')}\n`,
          ...differences,
        ]),
    ...(result === 'no-differences'
      ? [`${paint.bold('No differences')}: ${formatCount(summary.objects, 'object')} compared.\n`]
      : []),
  ].join('');
}
