import { isSuccess, type Journal } from '../../apply/journal/journal.ts';
import { invalidJournal } from '../../apply/journal/read-journal.ts';
import type { Gateway } from '../../gateway/gateway.ts';
import type { Problem } from '../../model/problem.ts';
import { idOf } from '../../plan/change/change.ts';
import type { SavedChange } from '../../plan/saved/saved-plan.ts';
import { hasKeys } from '../../plan/saved/signature.ts';
import type { Host } from '../host.ts';
import { openSavedPlan } from '../plan/saved-plan.ts';
import type { Workspace } from '../project/workspace.ts';
import { RequestError } from '../system-error.ts';
import type { PlanConditions } from './admit-plan.ts';
import { applyFile } from './apply-saved.ts';
import type { EarlierWrites } from './make-changes.ts';
import { findRun, isComplete } from './find-run.ts';
import { checkThere, planFile, undoFile } from './journal-files.ts';
import { withRun } from './with-run.ts';
import { endEarly, type Run, type RunOptions, type Ended, type RunResult } from './start-run.ts';

export type ResumeOptions = RunOptions & PlanConditions & { readonly journal: string | undefined };

/**
 * Continues a run that did not end well: the one of this name, or the newest on this gateway and in this environment.
 * Throws a RequestError where there is none, and where nothing is left to do.
 */
export function resumeRun(
  host: Host,
  workspace: Workspace,
  gateway: Gateway,
  name: string | undefined,
  options: ResumeOptions,
): Promise<RunResult> {
  return withRun(host, workspace, gateway, options, (run) => findAndResume(run, name, options));
}

async function findAndResume(run: Run, name: string | undefined, options: ResumeOptions): Promise<Ended> {
  const { journal: folder = '' } = options;
  const { value: journal, problems } = await findRun(run, name);
  if (journal === undefined) return endEarly('error', problems);
  const { started, deleted } = journal;
  if (isComplete(journal))
    throw new RequestError(`run ${started.run} is finished: there is nothing to resume`);
  run.emit({ type: 'resuming', run: started.run, at: started.at });
  const { readFile: read } = run.host;
  const file = planFile(folder, started.run);
  const ofUndo = undoFile(folder, started.run);
  const missing = checkThere(run.host, file) ?? checkThere(run.host, ofUndo);
  if (missing !== undefined) return endEarly('error', [missing]);
  const undo = await openSavedPlan(run.host, ofUndo, run.planKeys, read);
  const isUndoOfRun = undo.value?.undoes?.run === started.run && undo.value.undoesPlan === started.plan;
  const undoes = isUndoOfRun ? undo.value.undoes : undefined;
  return applyFile(run, file, {
    read,
    task: {
      resumes: journal,
      deleted,
      earlier: findResumedWrites(journal),
      ...(undoes === undefined ? {} : { undoes, undone: undo.value?.changes ?? [] }),
    },
    check: (saved) => {
      if (saved.digest !== started.plan)
        return invalidJournal(`${file} is not the plan of run ${started.run}`, PLAN_AGAIN);
      const needsProof = saved.undoes !== undefined && hasKeys(run.planKeys);
      return needsProof && !isUndoOfRun ? unproven(journal, saved.undoes.run) : undefined;
    },
    conditions: options,
  });
}

/** What the run has done already and would do again: a replace would delete what it has created. */
function findResumedWrites(journal: Journal): EarlierWrites {
  const { outcomes, open, lastCallAt } = journal;
  const wasMade = (change: SavedChange): boolean => {
    const known = outcomes.get(idOf(change));
    if (known !== undefined) return known.outcome === 'done';
    const last = open.get(change.address)?.at(-1);
    return isSuccess(last?.answer) && last?.call === (change.action === 'delete' ? 'delete' : 'put');
  };
  return {
    isUnshown: (change, isMade) => !isMade && wasMade(change),
    lastCallAt,
  };
}

/**
 * A plan expires, and an undo does not. So where signatures count, one that was made long ago must not be taken for what an
 * interrupted run has begun: the undo of that run is signed too, and names its plan.
 */
function unproven({ started }: Journal, undone: string): Problem {
  const message = `no signature shows that run ${started.run} began to undo run ${undone}`;
  return invalidJournal(message, `use gwconf undo ${undone}`);
}

const PLAN_AGAIN = 'plan again: a plan finds out what is left to do without a journal';
