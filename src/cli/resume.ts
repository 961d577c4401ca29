import type { Journal } from '../apply/journal/journal.ts';
import type { Checked, Problem } from '../model/problem.ts';
import type { Undoes } from '../plan/change/plan.ts';
import { findRun } from './find-run.ts';
import { UsageError } from './io.ts';
import { planFile, undoFile } from './journal-folder.ts';
import { openPlan } from './plan-file.ts';
import type { Running } from './connect/open-run.ts';

/** A run that did not come to its end. */
export type Resumable = {
  readonly journal: Journal;
  readonly planFile: string;
  /** How it is taken back, where its undo can be read. */
  readonly back?: Undoes;
};

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
  const { value: journal, problems } = await findRun(which === true ? undefined : which, folder, run);
  if (journal === undefined) return { value: undefined, problems };
  const { run: name, at } = journal.started;
  const result = journal.finished?.result;
  if (result === 'applied' || result === 'no-changes') {
    throw new UsageError(`run ${name} is finished: there is nothing to resume`);
  }
  io.err(`Going on with run ${name}, which was begun at ${at}.\n`);
  const back = (await openPlan(undoFile(folder, name), io)).value?.undoes;
  const found = { journal, planFile: planFile(folder, name), ...(back === undefined ? {} : { back }) };
  return { value: found, problems: [] };
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
