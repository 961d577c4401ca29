import { makeScanReport, problemsOfScan } from '../../outcome/scan.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { loadScan } from '../../v1/door.ts';
import type { Io } from '../io.ts';
import type { ExitCode } from '../../outcome/verdict.ts';
import { finish } from '../present/finish.ts';
import { emitEach, fromTop, parseOutput } from '../present/output.ts';
import { renderScan, SCAN_FORMATS } from '../present/scan-formats.ts';

export type ScanArgs = {
  readonly output?: readonly string[];
  readonly detailedExitcode?: boolean;
};

/** Finds the uses of v1 in files; default: in the current folder. */
export async function scan(paths: readonly string[], args: ScanArgs, io: Io): Promise<ExitCode> {
  const output = parseOutput(args.output, io, { formats: SCAN_FORMATS });
  const { scanFiles } = await loadScan();
  const { areas, files, skipped, problems: found } = scanFiles(io, paths.length === 0 ? ['.'] : paths);
  const problems = locateProblems(found);
  const report = makeScanReport({ areas, skipped, read: files }, problems);
  const shown = fromTop([...problemsOfScan(report), ...problems], io);
  const unwritten = await emitEach(
    (format, options) => renderScan(format, report, shown, options),
    output,
    io,
  );
  return finish(
    { result: report.result, isDetailed: args.detailedExitcode, problems, unwritten },
    io,
    output,
  );
}
