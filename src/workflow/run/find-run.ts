import type { Journal } from '../../apply/journal/journal.ts';
import type { Checked, Problem } from '../../model/problem.ts';
import type { Host } from '../host.ts';
import { RequestError } from '../system-error.ts';
import { listRuns, nameOfRun, openJournal, readRun } from './journal-files.ts';
import type { Run } from './start-run.ts';
import { whereOf } from '../../outcome/run.ts';

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
  if (folder === undefined) throw noJournal();
  const here = { gateway: gateway.url, environment: workspace.environment?.name };
  if (name !== undefined) return openJournal(host, folder, name);
  const elsewhere = new Set<string>();
  for (const one of await listRuns(host, folder)) {
    const read = await readRun(host, folder, one);
    const { value: journal } = read;
    if (journal === undefined) return { value: undefined, problems: read.problems.map(askForName) };
    const { started } = journal;
    const isHere = started.gateway === here.gateway && started.environment === here.environment;
    if (isHere && fits(journal)) return read;
    if (!isHere) elsewhere.add(whereOf(started));
  }
  const others = elsewhere.size === 0 ? '' : `; there are runs on ${[...elsewhere].sort().join(', ')}`;
  throw new RequestError(`there is no run on ${whereOf(here)} in ${folder}${others}`);
}

/** Throws a RequestError where no run has this name. */
export async function checkRun(
  host: Host,
  folder: string | undefined,
  name: string | undefined,
): Promise<void> {
  if (folder === undefined) throw noJournal();
  if (name !== undefined) await nameOfRun(host, folder, name);
}

function noJournal(): RequestError {
  return new RequestError('without a journal there is no run to resume or undo', { code: 'no-journal' });
}

/** The journals of the runs that began after this one, without those that cannot be read. */
export async function readRunsAfter(
  { host, journal: folder = '' }: Pick<Run, 'host' | 'journal'>,
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

/** Whether nothing of a run is left to resume. */
export function isComplete({ finished }: Journal): boolean {
  return finished?.result === 'applied' || finished?.result === 'no-changes';
}

/** Whether a later run, such as its undo, has written what this one has. */
export async function isOverwritten(
  at: Pick<Run, 'host' | 'journal'>,
  { started, written }: Journal,
): Promise<boolean> {
  const later = await readRunsAfter(at, started.run);
  return later.some(
    (one) =>
      one.started.gateway === started.gateway &&
      [...one.written.keys()].some((address) => written.has(address)),
  );
}

/** Whether an undo of this run has changed something, and was not undone itself. */
export async function isUndone(at: Pick<Run, 'host' | 'journal'>, { started }: Journal): Promise<boolean> {
  const undone = new Set<string>();
  for (const { started: later, written } of await readRunsAfter(at, started.run))
    if (later.undoes !== undefined && written.size > 0 && !undone.has(later.run)) undone.add(later.undoes);
  return undone.has(started.run);
}

function askForName(problem: Problem): Problem {
  const hint =
    'unknown what this run has changed: name the run to use, as gwconf journal lists those that can be read; or make a new plan from files with the state that you want';
  return { ...problem, hint };
}
