import {
  catalog,
  guardUndo,
  hasErrors,
  isBlocked,
  kindsToCheck,
  readLive,
  redact,
  type ApplyResult,
  type Limited,
  type Problem,
  type SavedPlan,
  type ShownPlan,
} from '../index.ts';
import { checkAndCarryOut, type Task } from './carry-out.ts';
import { finish } from './finish.ts';
import { problemOf } from './input.ts';
import type { ExitCode } from './io.ts';
import { openPlan, withItsSecrets } from './plan-file.ts';
import { rulesOf } from './planning.ts';
import type { Running } from './running.ts';
import { wrongTarget } from './target.ts';

/** On what conditions a saved plan is carried out, beside its own. */
export type Conditions = Pick<Task, 'resumes' | 'deleted'> & {
  /** What is wrong with it where it was found. */
  readonly fault?: (saved: SavedPlan) => Problem | undefined;
  /** What an undo may do, in place of what the project says. */
  readonly limits?: Limited;
  /** Tells what will be done, before it is asked whether that is safe and wanted. */
  readonly show?: (shown: ShownPlan) => void;
  /** How the run ends that was not wanted after all; undefined when it was. */
  readonly refusal?: () => Promise<ApplyResult | undefined>;
};

/** Carries out a saved plan, if all that it was made for is still so. */
export async function applySaved(
  planFile: string,
  run: Running,
  { fault, limits, show, refusal, ...task }: Conditions = {},
): Promise<ExitCode> {
  const { gateway, io } = run;
  const { value: saved, problems } = await openPlan(planFile, io);
  if (saved === undefined) return finish(run, 'error', undefined, [], problems);
  const foreign = fault?.(saved);
  if (foreign !== undefined) return finish(run, 'error', undefined, [], [...problems, foreign]);
  const shown = redact({ ...saved, counts: saved.summary }, catalog.kinds);
  const wrong = wrongTarget(saved, gateway.url, run.project);
  if (wrong !== undefined) return finish(run, 'stale', shown, [], [...problems, wrong]);
  const unsealing = await withItsSecrets(saved, run.sources, run.project, io);
  if (hasErrors(unsealing.problems))
    return finish(run, 'error', shown, [], [...problems, ...unsealing.problems]);
  show?.(shown);
  if (saved.changes.length === 0) return finish(run, 'no-changes', shown, [], problems);
  // Nobody has reviewed an undo; the plan of a run that is resumed was held to the rules before.
  const unsafe =
    saved.undoes === undefined || task.resumes !== undefined ? [] : await dangers(saved, run, limits);
  if (hasErrors(unsafe))
    return finish(run, isBlocked(unsafe) ? 'blocked' : 'error', shown, [], [...problems, ...unsafe]);
  const refused = await refusal?.();
  if (refused !== undefined) return finish(run, refused, shown, [], problems);
  const { relies, salt } = saved;
  const plan = { changes: unsealing.value, relies, salt };
  return checkAndCarryOut(run, { ...plan, shown, problems, saved: () => saved, ...task });
}

/** What the rules of the project say against an undo. */
async function dangers(
  saved: SavedPlan,
  { gateway, project }: Running,
  limits: Limited | undefined,
): Promise<readonly Problem[]> {
  try {
    const live = await readLive(gateway, kindsToCheck(saved, catalog.kinds));
    return guardUndo(saved.changes, live, rulesOf({}, project), catalog.kinds, limits);
  } catch (error) {
    return [problemOf(error)];
  }
}
