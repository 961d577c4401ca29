import { join } from 'node:path';
import { readJournal, type Journal } from '../../apply/journal/journal.ts';
import type { Checked } from '../../model/problem.ts';
import { suggest } from '../../model/text/suggest.ts';
import type { Host } from '../host.ts';
import { RequestError } from '../request-error.ts';

const JOURNAL = '.ndjson';

export function journalFile(folder: string, run: string): string {
  return join(folder, `${run}${JOURNAL}`);
}

/** The plan that a run carries out. */
export function planFile(folder: string, run: string): string {
  return join(folder, `${run}.plan.json`);
}

/** The plan that undoes a run. */
export function undoFile(folder: string, run: string): string {
  return join(folder, `${run}.undo.json`);
}

/** The names of the runs that have a journal in this folder, newest first. */
export async function listRuns(host: Host, folder: string): Promise<readonly string[]> {
  const names = (await host.namesIn(folder)).filter((name) => name.endsWith(JOURNAL));
  return names.map((name) => name.slice(0, -JOURNAL.length)).reverse();
}

/** Reads the journal of a run. Throws a RequestError when there is none of this name. */
export async function openJournal(
  host: Host,
  folder: string,
  run: string,
): Promise<Checked<Journal | undefined>> {
  const runs = await listRuns(host, folder);
  if (runs.includes(run)) return readRun(host, folder, run);
  const near = suggest(run, runs);
  const hint = near === undefined ? '' : `; did you mean ${near}`;
  throw new RequestError(`there is no run ${run} in ${folder}${hint}`, { code: 'unknown-run' });
}

/** The journal of a run, or a problem where it cannot be understood. */
export async function readRun(
  host: Host,
  folder: string,
  run: string,
): Promise<Checked<Journal | undefined>> {
  const path = journalFile(folder, run);
  return readJournal(await host.readFile(path), path);
}
