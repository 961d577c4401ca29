import type { Journal } from '../../apply/journal/journal.ts';
import type { Checked, Problem } from '../../model/problem.ts';
import type { Host } from '../host.ts';
import { RequestError } from '../request-error.ts';
import { isSystemError, reasonOf } from '../system-error.ts';
import { journalFile, listRuns, openJournal, planFile, readRun, undoFile } from './journal-files.ts';
import type { Run } from './run.ts';

/**
 * The run of this name; without a name the newest that fits, on this gateway and in this environment. A newer one that
 * cannot be read may be the right one, so it is not passed over. Throws a RequestError where there is none, and
 * where no journal is kept.
 */
export async function findRun(
  { host, workspace, gateway, journal: folder }: Run,
  name: string | undefined,
  fits: (journal: Journal) => boolean = () => true,
): Promise<Checked<Journal | undefined>> {
  if (folder === undefined)
    throw new RequestError('without a journal there is no run to resume or undo', { code: 'no-journal' });
  const here = { gateway: gateway.url, environment: workspace.environment?.name };
  if (name !== undefined) return checkUntracked(host, folder, await openJournal(host, folder, name));
  const elsewhere = new Set<string>();
  for (const one of await listRuns(host, folder)) {
    const read = await readRun(host, folder, one);
    const { value: journal } = read;
    if (journal === undefined) return { value: undefined, problems: read.problems.map(askForName) };
    const { started } = journal;
    const isHere = started.gateway === here.gateway && started.environment === here.environment;
    if (isHere && fits(journal)) return checkUntracked(host, folder, read);
    if (!isHere) elsewhere.add(describe(started));
  }
  const others = elsewhere.size === 0 ? '' : `; there are runs on ${[...elsewhere].sort().join(', ')}`;
  throw new RequestError(`there is no run on ${describe(here)} in ${folder}${others}`);
}

/** A run whose files are in git is none: whoever can commit may have made it up. */
async function checkUntracked(
  host: Host,
  folder: string,
  read: Checked<Journal | undefined>,
): Promise<Checked<Journal | undefined>> {
  const run = read.value?.started.run;
  if (run === undefined) return read;
  try {
    for (const file of [journalFile, planFile, undoFile].map((nameFile) => nameFile(folder, run)))
      if (await host.isTracked(file)) return refuse(`${file} is in git, so it can be forged`, TRACKED);
    return read;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return refuse(`cannot find out whether ${folder} is in git: ${reasonOf(error)}`, MOVE);
  }
}

const TRACKED =
  'name another run, or delete this one; if you have put your own journals into git, take them out: git rm -r --cached FOLDER';
const MOVE = 'copy the folder out of the work tree, and name it with --journal';

function refuse(message: string, hint: string): Checked<undefined> {
  return { value: undefined, problems: [{ code: 'invalid-journal', severity: 'error', message, hint }] };
}

/** The journals of the runs that began after this one, without those that cannot be read. */
export async function readRunsAfter(
  { host, journal: folder = '' }: Run,
  run: string,
): Promise<readonly Journal[]> {
  const runs = await listRuns(host, folder);
  const journals: Journal[] = [];
  for (const one of runs.slice(0, runs.indexOf(run))) {
    const { value } = await readRun(host, folder, one);
    if (value !== undefined) journals.push(value);
  }
  return journals;
}

function askForName(problem: Problem): Problem {
  const hint =
    'unknown what this run has changed: name the run to use, as gwconf journal lists those that can be read; or make a new plan from files with the state that you want';
  return { ...problem, hint };
}

function describe({
  gateway,
  environment,
}: {
  readonly gateway: string;
  readonly environment?: string | undefined;
}): string {
  return environment === undefined ? gateway : `${gateway} (${environment})`;
}
