import type { DriftReport } from '../view/drift-report.ts';
import { forTerminal } from '../escape.ts';
import type { ApplyReport, PlanReport, ValidateReport } from '../view/reports.ts';
import type { SelftestReport } from '../view/selftest-report.ts';

export type Report = ValidateReport | PlanReport | ApplyReport | DriftReport | SelftestReport;

/** The lists of reports, in the order of their lines, and the type that each of their records gets. */
const RECORDS = {
  problems: 'problem',
  changes: 'change',
  ledger: 'entry',
  drift: 'drift',
  accepted: 'accepted',
  unchecked: 'unchecked',
  normalisations: 'normalisation',
} as const;

/**
 * A report as lines of JSON: first a version record, then a record for each item of its lists, last the summary with the
 * result. Consumers pass over fields and types that they do not know.
 */
export function* ndjson(report: Report, tool: string): Generator<string> {
  const line = (type: string, fields: object): string =>
    forTerminal(`${JSON.stringify({ type, ...fields })}\n`);
  yield line('version', { format: report.format, tool });
  const rest = new Map<string, unknown>(Object.entries(report));
  for (const [list, type] of Object.entries(RECORDS)) {
    const records = rest.get(list) as readonly object[] | undefined; // as the types of reports have them
    for (const record of records ?? []) yield line(type, record);
    rest.delete(list);
  }
  yield line('summary', Object.fromEntries(rest));
}
