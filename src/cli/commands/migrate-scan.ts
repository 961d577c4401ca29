import { groupBy } from '../../model/collect.ts';
import type { LocatedProblem } from '../../model/problem.ts';
import { problemsOfScan, type AreaRecord, type ScanReport } from '../../outcome/scan.ts';
import { onOneLine } from '../../report/escape.ts';
import { type Format, FORMATS, type RenderOptions } from '../../report/formats.ts';
import { renderJson } from '../../report/json/json.ts';
import { alignColumns, formatCount } from '../../report/phrases.ts';
import { loadScan } from '../../v1/door.ts';
import type { Io } from '../io.ts';
import type { Ending } from '../present/finish.ts';
import { fromTop } from '../present/output.ts';

/** Finds the uses of v1 in files; default: in the current folder. */
export async function scan(paths: readonly string[], io: Io): Promise<Ending<Format>> {
  const { scanFiles } = await loadScan();
  const { outcome: report, problems } = scanFiles(io, paths.length === 0 ? ['.'] : paths);
  const shown = fromTop([...problemsOfScan(report), ...problems], io);
  return {
    result: report.result,
    problems,
    render: (format, options) => renderScan(format, report, shown, options),
  };
}

/** A scan in one of its formats; `problems` are its uses. */
function* renderScan(
  format: Format,
  report: ScanReport,
  problems: readonly LocatedProblem[],
  options: RenderOptions,
): Iterable<string> {
  if (format === 'json') yield* renderJson(report);
  else if (format === 'human') yield* renderText(report, options);
  else yield* FORMATS[format]({ problems } as never, options); // these formats print nothing but problems
}

function* renderText({ summary, areas, skipped }: ScanReport, { paint }: RenderOptions): Generator<string> {
  for (const area of areas) {
    yield `${paint.bold(area.name)}: deprecated since ${area.deprecated}, removed in ${area.removed}; use ${area.replacement}\n`;
    for (const line of linesOf(area)) yield `${line}\n`;
    yield '\n';
  }
  const { uses, files, read } = summary;
  yield uses === 0
    ? `No uses of v1 in ${formatCount(read, 'file')}.\n`
    : `${formatCount(uses, 'use')} of v1 in ${formatCount(files, 'file')}, of ${read} read.\n`;
  for (const [why, ones] of groupBy(skipped, (one) => one.why)) {
    const names = ones.slice(0, MOST_NAMES).map(({ path }) => onOneLine(path));
    yield `Skipped, ${onOneLine(why)}: ${names.join(', ')}${ones.length > MOST_NAMES ? ` and ${ones.length - MOST_NAMES} more` : ''}\n`;
  }
}

const MOST_NAMES = 5;

function linesOf({ uses }: AreaRecord): readonly string[] {
  const rows = uses.map(({ file, line, column, text }) => [
    `  ${onOneLine(file)}:${line}:${column}`,
    onOneLine(text),
  ]);
  return alignColumns(rows).map((row) => row.join('  ').trimEnd());
}
