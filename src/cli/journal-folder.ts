import { join } from 'node:path';
import { readJournal, type Journal } from '../apply/journal/journal.ts';
import type { Checked } from '../model/problem.ts';
import { suggest } from '../model/text/suggest.ts';
import { UsageError, type Io } from './io.ts';
import type { OpenProject } from './project.ts';

const JOURNAL = '.ndjson';

export type JournalArgs = { readonly journal?: string };

/** Where the journals of runs are: beside gwconf.yaml, unless told otherwise; undefined when none is kept. */
export function journalFolder({ journal }: JournalArgs, project: OpenProject, io: Io): string | undefined {
  const named = journal ?? io.env('GWCONF_JOURNAL') ?? '';
  if (named === 'none') return undefined;
  return named === '' ? join(project.folder ?? '.', '.gwconf', 'journal') : named;
}

export function journalFile(folder: string, run: string): string {
  return join(folder, `${run}${JOURNAL}`);
}

/** The plan that a run carries out. */
export function planFile(folder: string, run: string): string {
  return join(folder, `${run}.plan.json`);
}

/** The way back from a run. */
export function undoFile(folder: string, run: string): string {
  return join(folder, `${run}.undo.json`);
}

/** The runs that have a journal there, newest first. */
export async function runsIn(folder: string, io: Io): Promise<readonly string[]> {
  const names = (await io.namesIn(folder)).filter((name) => name.endsWith(JOURNAL));
  return names.map((name) => name.slice(0, -JOURNAL.length)).reverse();
}

/** Throws a UsageError for a run that is not there. */
export async function runNamed(run: string, folder: string, io: Io): Promise<string> {
  const runs = await runsIn(folder, io);
  if (runs.includes(run)) return run;
  const near = suggest(run, runs);
  throw new UsageError(
    `there is no run ${run} in ${folder}${near === undefined ? '' : `; did you mean ${near}`}; gwconf journal lists them`,
  );
}

/** What the journal of a run tells; a problem where it cannot be read. */
export async function readRun(folder: string, run: string, io: Io): Promise<Checked<Journal | undefined>> {
  const path = journalFile(folder, run);
  return readJournal(await io.readFile(path), path);
}
