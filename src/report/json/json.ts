import { forTerminal } from '../escape.ts';
import type { Report } from '../../outcome/outcome.ts';
import { printJson } from '../../model/json/json-text.ts';

/** The lists of reports, in the order of their lines, and the type of their records. */
const RECORDS = {
  problems: 'problem',
  risks: 'risk',
  cases: 'case',
  coverage: 'coverage',
  exposures: 'exposure',
  weakenings: 'weakening',
  effects: 'effect',
  changes: 'change',
  explained: 'explained',
  ledger: 'entry',
  unprotected: 'unprotected',
  drift: 'drift',
  differences: 'difference',
  expected: 'expected',
  uncompared: 'uncompared',
  accepted: 'accepted',
  unchecked: 'unchecked',
  normalisations: 'normalisation',
} as const;

/**
 * A report as lines of JSON: a version record, a record for each item of its lists, and last a summary with the result.
 * Readers skip fields and types that they do not know.
 */
export function* renderNdjson(report: Report, tool: string): Generator<string> {
  const line = (type: string, fields: object): string => forTerminal(`${printJson({ type, ...fields })}\n`);
  yield line('version', { format: report.format, tool });
  if (report.format === 'gwconf/fleet-report@1') {
    // The records of each environment with its name, then those of all.
    for (const { environment, outcome } of report.environments)
      for (const [type, fields] of recordsOf(outcome)) yield line(type, { environment, ...fields });
    const { environments: _, ...all } = report;
    for (const [type, fields] of recordsOf(all)) yield line(type, fields);
    return;
  }
  for (const [type, fields] of recordsOf(report)) yield line(type, fields);
}

/** The items of the lists of a report, and last what is left of it. */
function* recordsOf(report: object): Generator<readonly [type: string, fields: object]> {
  const rest = new Map<string, unknown>(Object.entries(report));
  for (const [list, type] of Object.entries(RECORDS)) {
    const records = rest.get(list) as Iterable<object> | undefined; // as the types of reports have them
    for (const record of records ?? []) yield [type, record];
    rest.delete(list);
  }
  yield ['summary', Object.fromEntries(rest)];
}
