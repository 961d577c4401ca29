import {
  catalog,
  hasErrors,
  redact,
  type ApplyResult,
  type Problem,
  type SavedPlan,
  type ShownPlan,
} from '../index.ts';
import { checkAndCarryOut, type Task } from './carry-out.ts';
import { finish } from './finish.ts';
import type { ExitCode } from './io.ts';
import { openPlan, withItsSecrets } from './plan-file.ts';
import type { Running } from './running.ts';
import { wrongTarget } from './target.ts';

/** On what conditions a saved plan is carried out, beside its own. */
export type Conditions = Pick<Task, 'resumes' | 'deleted'> & {
  /** What is wrong with it where it was found. */
  readonly fault?: (saved: SavedPlan) => Problem | undefined;
  /** How the run ends that was not wanted after all; undefined when it was. */
  readonly refusal?: (shown: ShownPlan) => Promise<ApplyResult | undefined>;
};

/** Carries out a saved plan, if all that it was made for is still so. */
export async function applySaved(
  planFile: string,
  run: Running,
  { fault, refusal, ...task }: Conditions = {},
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
  const refused = await refusal?.(shown);
  if (refused !== undefined) return finish(run, refused, shown, [], problems);
  if (saved.changes.length === 0) return finish(run, 'no-changes', shown, [], problems);
  const { relies, salt } = saved;
  const plan = { changes: unsealing.value, relies, salt };
  return checkAndCarryOut(run, { ...plan, shown, problems, saved: () => saved, ...task });
}
