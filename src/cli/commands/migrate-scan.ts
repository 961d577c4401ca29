import { problemsOfScan } from '../../outcome/migrate.ts';
import type { Format } from '../../report/formats.ts';
import { loadScan } from '../../v1/door.ts';
import type { Io } from '../io.ts';
import type { Ending } from '../present/finish.ts';

/** Finds the uses of v1 in files; default: in the current folder. */
export async function scan(paths: readonly string[], io: Io): Promise<Ending<Format>> {
  const { scanFiles } = await loadScan();
  const { outcome: report, problems } = scanFiles(io, paths.length === 0 ? ['.'] : paths);
  // A use is no problem of the run, but one for code scanners.
  const view = { report, problems: [...problemsOfScan(report), ...problems] };
  return { view, problems, isAnswer: true };
}
