import type { Journal } from '../../apply/journal/journal.ts';
import { invalidJournal } from '../../apply/journal/read-journal.ts';
import type { Gateway } from '../../gateway/gateway.ts';
import { makeProblem, type Problem } from '../../model/problem.ts';
import type { Address } from '../../model/resource.ts';
import type { Host } from '../host.ts';
import type { Workspace } from '../project/workspace.ts';
import { RequestError } from '../system-error.ts';
import type { PlanConditions } from './admit-plan.ts';
import { applyFile } from './apply-saved.ts';
import { timeToShow, type EarlierWrites } from './make-changes.ts';
import { findRun, isComplete, readRunsAfter } from './find-run.ts';
import { checkThere, PLAN_ANEW, undoFile } from './journal-files.ts';
import { withRun } from './with-run.ts';
import { endEarly, type Run, type RunOptions, type Ended, type RunResult } from './start-run.ts';

export type UndoOptions = RunOptions &
  Pick<PlanConditions, 'manages' | 'limits' | 'acceptExposure'> & {
    readonly journal: string | undefined;
    /** A file with a topic on each line, or `-`, in place of that of the project. */
    readonly topics?: string | undefined;
  };

/**
 * Undoes a run: the one of this name, or the newest on this gateway and in this environment that has changed something.
 * Throws a RequestError where there is none, and where the newest is itself an undo.
 */
export function undoRun(
  host: Host,
  workspace: Workspace,
  gateway: Gateway,
  name: string | undefined,
  options: UndoOptions,
): Promise<RunResult> {
  return withRun(host, workspace, gateway, options, (run) => findAndUndo(run, name, options));
}

async function findAndUndo(run: Run, name: string | undefined, options: UndoOptions): Promise<Ended> {
  const { journal: folder = '' } = options;
  const { value: journal, problems } = await findRun(run, name, ({ written }) => written.size > 0);
  if (journal === undefined) return endEarly('error', problems);
  const { started, deleted } = journal;
  if (name === undefined && started.undoes !== undefined) {
    const cure = isComplete(journal)
      ? ': '
      : ', and did not finish: carry on with gwconf apply --resume, or ';
    const message = `the newest run, ${started.run}, is itself the undo of ${started.undoes}${cure}name the run to undo`;
    throw new RequestError(message, { code: 'unknown-run' });
  }
  const file = undoFile(folder, started.run);
  const missing = checkThere(run.host, file);
  if (missing !== undefined) return endEarly('error', [missing]);
  const ended = await applyFile(run, file, {
    read: run.host.readFile,
    task: { deleted, earlier: await findUndoneWrites(run, journal) },
    conditions: options,
    topics: options.topics,
    check: ({ undoes }) =>
      undoes?.run === started.run
        ? undefined
        : invalidJournal(`${file} does not undo run ${started.run}`, PLAN_ANEW),
  });
  const { result, shown, problems: told } = ended;
  const isLost = shown?.undoes?.losses.some((one) => one.leftOut && journal.written.has(one.address));
  return result === 'no-changes' && shown?.changes.length === 0 && isLost === true
    ? endEarly('error', [...told, notUndone(started.run)], shown)
    : ended;
}

/** Beside an undo that has nothing left to do. */
function notUndone(run: string): Problem {
  return makeProblem({
    code: 'secret-unavailable',
    message: `nothing of run ${run} can be undone`,
    hint: 'set the files back, and run gwconf apply with the secrets',
  });
}

/** What the run has written, and no later one: the undo of that is not made only because the gateway does not show it. */
async function findUndoneWrites(run: Run, { started, written, lastCallAt }: Journal): Promise<EarlierWrites> {
  const later = new Set<Address>();
  for (const one of await readRunsAfter(run, started.run)) {
    if (one.started.gateway === started.gateway) for (const address of one.written.keys()) later.add(address);
  }
  // Once a write had its time to show, what the gateway shows is so: somebody else took it back.
  const isOver = timeToShow(run, lastCallAt) === 0;
  return {
    isUnshown: ({ address }, isMade) => isMade && !isOver && !later.has(address) && written.has(address),
    lastCallAt,
  };
}
