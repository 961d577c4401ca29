import { onOneLine, type Checked, type Journal, type Problem } from '../index.ts';
import { UsageError } from './io.ts';
import { planFile, readRun, runNamed, runsIn } from './journal-folder.ts';
import type { Running } from './running.ts';

/** A run that did not come to its end. */
export type Resumable = { readonly journal: Journal; readonly planFile: string };

/**
 * The run of that name, or with `true` the newest on this gateway and in this environment. Throws a UsageError where
 * there is none, where it has nothing left to do, and where it is still going on.
 */
export async function runToResume(
  which: string | true,
  run: Running,
): Promise<Checked<Resumable | undefined>> {
  const { journal: folder, io } = run;
  if (folder === undefined) throw new UsageError('without a journal there is no run to resume');
  const runs = which === true ? await runsIn(folder, io) : [await runNamed(which, folder, io)];
  const elsewhere = new Set<string>();
  for (const name of runs) {
    const { value: journal, problems } = await readRun(folder, name, io);
    if (journal === undefined) return { value: undefined, problems };
    if (which !== true || isHere(journal, run)) {
      refuse(journal, run);
      io.err(`Going on with run ${name}, which was begun at ${journal.started.at}.\n`);
      return { value: { journal, planFile: planFile(folder, name) }, problems: [] };
    }
    elsewhere.add(placeOf(journal.started.gateway, journal.started.environment));
  }
  const here = placeOf(run.gateway.url, run.project.environment?.name);
  const others = elsewhere.size === 0 ? '' : `; there are runs on ${[...elsewhere].sort().join(', ')}`;
  throw new UsageError(`there is no run on ${here} in ${folder}${others}`);
}

/** The plan beside a journal is another one than that which the journal is of. */
export function foreignPlan(planFile: string, { started }: Journal): Problem {
  return {
    code: 'invalid-journal',
    severity: 'error',
    message: `${planFile} is not the plan that run ${started.run} carries out`,
    hint: 'plan again: a plan finds out what is left to do without a journal',
  };
}

function isHere({ started }: Journal, { gateway, project }: Running): boolean {
  return started.gateway === gateway.url && started.environment === project.environment?.name;
}

function placeOf(url: string, environment: string | undefined): string {
  return environment === undefined ? onOneLine(url) : `${onOneLine(url)} (${onOneLine(environment)})`;
}

function refuse({ started: { run }, finished, sittings }: Journal, { io }: Running): void {
  if (finished?.result === 'applied' || finished?.result === 'no-changes') {
    throw new UsageError(`run ${run} is finished: there is nothing to resume`);
  }
  const last = sittings.at(-1);
  if (finished === undefined && last?.host === io.self.host && io.isAlive(last.pid)) {
    throw new UsageError(
      `run ${run} is still going on, as process ${last.pid}: wait for it or end it; or plan again, if that process is another program`,
    );
  }
}
