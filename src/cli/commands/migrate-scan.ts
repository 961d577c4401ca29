import { AREAS } from '../../migrate/scan/areas.ts';
import { makeScanReport, problemsOfScan } from '../../outcome/scan.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { scanFiles } from '../../workflow/files/scan.ts';
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
  const { uses, files, skipped, problems: found } = scanFiles(io, paths.length === 0 ? ['.'] : paths);
  const areas = Object.entries(AREAS).flatMap(([key, area]) => {
    const own = uses.filter((use) => use.area === key).map(({ at, text }) => ({ ...at, text }));
    return own.length === 0 ? [] : [{ ...area, uses: own }];
  });
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
