import { inPieces } from '../../model/json/pieces.ts';
import type { ValidateReport } from '../../outcome/validate.ts';
import { formatCount } from './phrases.ts';
import type { Paint } from '../paint.ts';
import type { TextOptions } from './text-options.ts';
import type { Report } from '../../outcome/outcome.ts';
import { renderApply } from './apply-text.ts';
import { renderDiff } from './diff-text.ts';
import { renderDrift } from './drift-text.ts';
import { renderEffective } from './effective-text.ts';
import { renderPlan } from './plan-text.ts';
import { renderRun, renderRuns } from './run-text.ts';
import { renderSelftest } from './selftest-text.ts';
import { renderTests } from './test-text.ts';

/** A report for people, in pieces. */
export function renderText(report: Report, options: TextOptions): Iterable<string> {
  const { paint } = options;
  switch (report.format) {
    case 'gwconf/validate-report@1':
      return [renderValidate(report, paint)];
    case 'gwconf/plan-report@1':
      return renderPlan(report, options);
    case 'gwconf/apply-report@1':
      return renderApply(report, paint);
    case 'gwconf/drift-report@1':
      return [renderDrift(report, paint)];
    case 'gwconf/effective-report@1':
      return inPieces(renderEffective(report, options));
    case 'gwconf/diff-report@1':
      return inPieces(renderDiff(report, options));
    case 'gwconf/selftest-report@1':
      return [renderSelftest(report, options)];
    case 'gwconf/test-report@1':
      return inPieces(renderTests(report, paint));
    case 'gwconf/runs-report@1':
      return [renderRuns(report, paint)];
    case 'gwconf/run-report@1':
      return renderRun(report, paint);
    default:
      return report satisfies never;
  }
}

export function renderValidate({ result, summary }: ValidateReport, paint: Paint): string {
  const { environments } = summary;
  const where = environments === undefined ? '' : ` in ${formatCount(environments.length, 'environment')}`;
  const counts = [
    `${formatCount(summary.resources, 'resource')}${where}`,
    formatCount(summary.errors, 'error'),
    formatCount(summary.warnings, 'warning'),
  ];
  return `${paint.bold(result === 'valid' ? 'Valid' : 'Not valid')}: ${counts.join(', ')}.\n`;
}
