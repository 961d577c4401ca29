import type { Journal } from '../../apply/journal/journal.ts';
import type { Problem } from '../../model/problem.ts';
import type { Limited } from '../../model/rules.ts';
import type { SavedPlan } from '../../plan/saved/saved-plan.ts';
import { onOneLine } from '../../report/escape.ts';
import { applySaved } from '../apply-saved.ts';
import { refusal } from '../present/approval.ts';
import { findRun } from '../find-run.ts';
import { finish } from '../present/finish.ts';
import { UsageError, type ExitCode, type Io } from '../io.ts';
import { showPlan } from '../present/output.ts';
import { undoFile } from '../journal-folder.ts';
import { limitsOf, type LimitArgs } from '../planning.ts';
import { withGateway, type RunArgs, type Running } from '../connect/open-run.ts';

export type UndoArgs = RunArgs & LimitArgs & { readonly autoApprove?: boolean };

/** Shows what takes a run back, asks, and does it: the newest run that has changed something, or the one that is named. */
export async function undo(name: string | undefined, args: UndoArgs, io: Io): Promise<ExitCode> {
  if (args.autoApprove !== true && !io.interactive) {
    throw new UsageError('there is no terminal to ask on: give --auto-approve');
  }
  const limits = limitsOf(args);
  return withGateway(args, io, (run) => takeBack(name, { ...args, limits }, run));
}

async function takeBack(
  name: string | undefined,
  { autoApprove, limits }: Pick<UndoArgs, 'autoApprove'> & { readonly limits: Limited | undefined },
  run: Running,
): Promise<ExitCode> {
  const { journal: folder, io, output, gateway } = run;
  if (folder === undefined) throw new UsageError('without a journal there is no run to undo');
  const { value: journal, problems } = await findRun(name, folder, run, hasChanged);
  if (journal === undefined) return finish(run, 'error', undefined, [], problems);
  const { started, deleted } = journal;
  if (name === undefined && started.undoes !== undefined) {
    throw new UsageError(
      `the newest run, ${started.run}, is itself the undo of ${onOneLine(started.undoes)}: name the run that is meant; gwconf journal lists them`,
    );
  }
  const file = undoFile(folder, started.run);
  return applySaved(file, run, {
    deleted,
    fault: (saved) => (isOf(saved, journal) ? undefined : foreignUndo(file, journal)),
    ...(limits === undefined ? {} : { limits }),
    show: (shown) => showPlan(shown, output, io),
    ...(autoApprove === true
      ? {}
      : { refusal: (what) => refusal(questionOf(what, started.run, gateway.url), run) }),
  });
}

function questionOf(what: 'all' | 'the rest', run: string, url: string): string {
  return `Take ${what === 'all' ? '' : 'the rest of '}run ${onOneLine(run)} back on ${url}?`;
}

/** Whether it has, or nobody knows that it has not. */
function hasChanged({ outcomes, open }: Journal): boolean {
  return open.size > 0 || [...outcomes.values()].some(({ outcome }) => outcome === 'done');
}

function isOf({ undoes }: SavedPlan, { started }: Journal): boolean {
  return undoes?.run === started.run;
}

function foreignUndo(file: string, { started }: Journal): Problem {
  return {
    code: 'invalid-journal',
    severity: 'error',
    message: `${file} does not take run ${started.run} back`,
    hint: 'plan again, from files that say what is wanted',
  };
}
