import { forTerminal } from './escape.ts';
import type { ApplyReport, PlanReport, ValidateReport } from './reports.ts';

/**
 * A report as lines of JSON: first a version record, then a record each for problems, changes and ledger entries, last
 * the summary with the result. Consumers pass over fields and types that they do not know.
 */
export function* ndjson(report: ValidateReport | PlanReport | ApplyReport, tool: string): Generator<string> {
  const line = (type: string, fields: object): string =>
    forTerminal(`${JSON.stringify({ type, ...fields })}\n`);
  const { problems, ...rest } = report;
  yield line('version', { format: report.format, tool });
  for (const problem of problems) yield line('problem', problem);
  if ('changes' in rest) {
    const { changes, ...summary } = rest;
    for (const change of changes) yield line('change', change);
    yield line('summary', summary);
  } else if ('ledger' in rest) {
    const { ledger, ...summary } = rest;
    for (const entry of ledger) yield line('entry', entry);
    yield line('summary', summary);
  } else {
    yield line('summary', rest);
  }
}
