import { makeScanReport, problemsOfScan } from '../../outcome/scan.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { loadScan } from '../../v1/door.ts';
import type { Io } from '../io.ts';
import type { Format } from '../../report/formats.ts';
import type { Ending } from '../present/finish.ts';
import { fromTop } from '../present/output.ts';
import { renderScan } from '../present/scan-formats.ts';

/** Finds the uses of v1 in files; default: in the current folder. */
export async function scan(paths: readonly string[], io: Io): Promise<Ending<Format>> {
  const { scanFiles } = await loadScan();
  const { areas, files, skipped, problems: found } = scanFiles(io, paths.length === 0 ? ['.'] : paths);
  const problems = locateProblems(found);
  const report = makeScanReport({ areas, skipped, read: files }, problems);
  const shown = fromTop([...problemsOfScan(report), ...problems], io);
  return {
    result: report.result,
    problems,
    render: (format, options) => renderScan(format, report, shown, options),
  };
}
