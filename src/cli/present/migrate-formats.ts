import { groupBy } from '../../model/collect.ts';
import { inPieces } from '../../model/json/pieces.ts';
import { onOneLine } from '../../report/escape.ts';
import { renderJson } from '../../report/json/json.ts';
import { formatCount } from '../../report/phrases.ts';
import type { Format, RenderOptions } from '../../report/formats.ts';
import type { MigratedCallRecord, MigrateReport } from '../../outcome/migrate.ts';
import { tableOf, wrapLines } from './table.ts';

/** A migration in one of its formats; `end` is told to people alone. */
export function* renderMigration(
  format: Format,
  report: MigrateReport,
  end: string,
  options: RenderOptions,
): Generator<string> {
  if (format === 'json') yield* renderJson(report);
  else {
    yield* printText(report, options);
    yield wrapLines(end, options.width);
  }
}

/** Most that is listed of the places with the same reason. */
const MOST_PLACES = 5;

function* printText(report: MigrateReport, { paint, width }: RenderOptions): Generator<string> {
  const { calls, summary } = report;
  if (calls.length === 0) return;
  const isLive = calls.every(({ line }) => line === undefined);
  yield `${paint.bold(formatCount(calls.length, isLive ? 'object' : 'call'))}${isLive ? ' on the gateway' : ''}\n`;
  yield tableOf(Object.entries(summary).map(([outcome, count]) => [outcome, String(count)]));
  const byOutcome = groupBy(calls, ({ outcome }) => outcome);
  for (const outcome of Object.keys(summary) as readonly MigratedCallRecord['outcome'][]) {
    const told = (byOutcome.get(outcome) ?? []).filter(({ why }) => why !== undefined);
    if (told.length === 0) continue;
    yield `\n${paint.bold(capitalise(outcome))}\n`;
    yield* inPieces(linesOf(told, width));
  }
  yield '\n';
}

/** Each reason once, with the calls that it is for. */
function* linesOf(calls: readonly MigratedCallRecord[], width: number | undefined): Generator<string> {
  for (const [why, alike] of groupBy(calls, (call) => call.why ?? '')) {
    for (const call of alike.slice(0, MOST_PLACES)) yield `  ${onOneLine(wordCall(call))}\n`;
    if (alike.length > MOST_PLACES) yield `  and ${alike.length - MOST_PLACES} more\n`;
    for (const reason of why.split('; ')) yield wrapLines(`    - ${onOneLine(reason)}\n`, width);
  }
}

function wordCall({ file, line, method, path, object }: MigratedCallRecord): string {
  if (object !== undefined) return object;
  const place = line === undefined ? '' : `${file}:${line}`;
  return [place, method, path].filter((part) => part !== undefined && part !== '').join(' ');
}

function capitalise(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
