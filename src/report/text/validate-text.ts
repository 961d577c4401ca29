import type { Paint } from '../paint.ts';
import type { ValidateReport } from '../view/validate-report.ts';
import { formatCount } from './phrases.ts';

export function renderValidate({ result, summary }: ValidateReport, paint: Paint): string {
  const counts = [
    formatCount(summary.resources, 'resource'),
    formatCount(summary.errors, 'error'),
    formatCount(summary.warnings, 'warning'),
  ];
  return `${paint.bold(result === 'valid' ? 'Valid' : 'Not valid')}: ${counts.join(', ')}.\n`;
}
