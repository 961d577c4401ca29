import type { Journal } from '../apply/journal/journal.ts';
import type { Checked, Problem } from '../model/problem.ts';
import { onOneLine } from '../report/escape.ts';
import { UsageError, type Io } from './io.ts';
import { readRun, runNamed, runsIn } from './journal-folder.ts';
import type { Running } from './connect/open-run.ts';

/**
 * The run of that name; without a name the newest that fits, on this gateway and in this environment. A newer one that
 * cannot be read may be the one that is meant, so it is not passed over. Throws a UsageError where there is none, and where
 * it is still going on.
 */
export async function findRun(
  name: string | undefined,
  folder: string,
  run: Running,
  fits: (journal: Journal) => boolean = () => true,
): Promise<Checked<Journal | undefined>> {
  const runs = name === undefined ? await runsIn(folder, run.io) : [await runNamed(name, folder, run.io)];
  const elsewhere = new Set<string>();
  for (const one of runs) {
    const read = await readRun(folder, one, run.io);
    const { value: journal } = read;
    if (journal === undefined && name !== undefined) return read;
    if (journal === undefined) return { value: undefined, problems: read.problems.map(wantsName) };
    if (name !== undefined || (isHere(journal, run) && fits(journal))) {
      refuseGoingOn(journal, run.io);
      return read;
    }
    if (!isHere(journal, run)) elsewhere.add(placeOf(journal.started.gateway, journal.started.environment));
  }
  const here = placeOf(run.gateway.url, run.project.environment?.name);
  const others = elsewhere.size === 0 ? '' : `; there are runs on ${[...elsewhere].sort().join(', ')}`;
  throw new UsageError(`there is no run on ${here} in ${folder}${others}`);
}

function wantsName(problem: Problem): Problem {
  const hint =
    'nobody can tell what this run has changed: name the run that is meant, gwconf journal lists those that can be read; or plan again, from files that say what is wanted';
  return { ...problem, hint };
}

function isHere({ started }: Journal, { gateway, project }: Running): boolean {
  return started.gateway === gateway.url && started.environment === project.environment?.name;
}

function placeOf(url: string, environment: string | undefined): string {
  return environment === undefined ? onOneLine(url) : `${onOneLine(url)} (${onOneLine(environment)})`;
}

function refuseGoingOn({ started: { run }, finished, processes }: Journal, io: Io): void {
  const last = processes.at(-1);
  if (finished !== undefined || last?.host !== io.self.host || !io.isAlive(last.pid)) return;
  throw new UsageError(
    `run ${run} is still going on, as process ${last.pid}: wait for it or end it; or plan again, if that process is another program`,
  );
}
