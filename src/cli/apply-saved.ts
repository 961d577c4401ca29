import { findExcluded } from '../apply/find-excluded.ts';
import { selectKindsToCheck } from '../apply/verify/check-plan.ts';
import { readLive } from '../gateway/read-live.ts';
import { hasErrors, isBlocked, type LocatedProblem, type Problem } from '../model/problem.ts';
import type { Address } from '../model/resource.ts';
import type { Limited } from '../model/rules.ts';
import { idOf, type ChangeId } from '../plan/change/plan.ts';
import type { SavedChange, SavedPlan } from '../plan/saved/saved-plan.ts';
import { redact, type ShownPlan } from '../plan/secrets/redact.ts';
import { guardUndo } from '../plan/undo/guard-undo.ts';
import { onOneLine } from '../report/escape.ts';
import type { ApplyResult } from '../report/view/apply-report.ts';
import { renderProblems } from '../report/text/problems-text.ts';
import { catalog } from '../schema/kinds/index.ts';
import { locateProblems } from '../schema/load/locate.ts';
import { checkAndCarryOut, type Task } from './carry-out.ts';
import { finish, tellFirst } from './present/finish.ts';
import { problemOf } from './input.ts';
import type { ExitCode, Io } from './io.ts';
import { openPlan, withItsSecrets } from './plan-file.ts';
import { rulesOf } from './planning.ts';
import type { Running } from './connect/open-run.ts';
import { wrongTarget } from './target.ts';

/** On what conditions a saved plan is carried out, beside its own. */
export type Conditions = Pick<Task, 'resumes' | 'deleted' | 'back'> & {
  /** What is wrong with it where it was found. */
  readonly fault?: (saved: SavedPlan) => Problem | undefined;
  /** What an undo may do, in place of what the project says. */
  readonly limits?: Limited;
  /** Shows what is to be done, before it is asked whether that is safe and wanted. */
  readonly show?: (shown: ShownPlan) => void;
  /** Asks. How the run ends that was not wanted after all; undefined when it was. */
  readonly refusal?: (what: 'all' | 'the rest') => Promise<ApplyResult | undefined>;
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
  const unsealing = await withItsSecrets(saved, run.place, run.project, io);
  show?.(shown);
  const withheld = withheldOf(unsealing.problems);
  const held = findExcluded(saved.changes, withheld);
  const isLeft = saved.changes.some((change) => !held.has(idOf(change)));
  const inPart = saved.undoes !== undefined && isLeft && (run.keepGoing || refusal !== undefined);
  if (hasErrors(unsealing.problems) && !(inPart && isOfObjects(unsealing.problems)))
    return finish(run, 'error', shown, [], [...problems, ...unsealing.problems]);
  if (saved.changes.length === 0) return finish(run, 'no-changes', shown, [], problems);
  // Nobody has reviewed an undo; the plan of a run that is resumed was held to the rules before.
  const unsafe =
    saved.undoes === undefined || task.resumes !== undefined ? [] : await dangers(saved, run, limits);
  if (hasErrors(unsafe))
    return finish(run, isBlocked(unsafe) ? 'blocked' : 'error', shown, [], [...problems, ...unsafe]);
  const told = tellFirst({ ...run, keepGoing: run.keepGoing || held.size > 0 }, problems);
  sayHeld(saved.changes, held, withheld, io);
  const refused = await refusal?.(held.size === 0 ? 'all' : 'the rest');
  if (refused !== undefined) return finish(told, refused, shown, [], problems);
  const { relies, salt } = saved;
  const plan = { changes: unsealing.value, relies, salt, withheld };
  return checkAndCarryOut(told, { ...plan, shown, problems, saved: () => saved, ...task });
}

/** The objects whose secrets are not there, each with the first thing that is wrong. */
function withheldOf(problems: readonly Problem[]): ReadonlyMap<Address, LocatedProblem> {
  const located = [...locateProblems(problems)].reverse();
  return new Map(
    located.flatMap((problem) => (problem.address === undefined ? [] : [[problem.address, problem]])),
  );
}

function isOfObjects(problems: readonly Problem[]): boolean {
  return problems.every(({ address }) => address !== undefined);
}

/** Tells what stays as it is, and why. */
function sayHeld(
  changes: readonly SavedChange[],
  held: ReadonlySet<ChangeId>,
  withheld: ReadonlyMap<Address, LocatedProblem>,
  { err, errPaint }: Io,
): void {
  err(renderProblems([...withheld.values()], errPaint));
  const names = new Set(changes.filter((change) => held.has(idOf(change))).map(({ address }) => address));
  for (const address of names) {
    const why = withheld.has(address) ? '' : ', which waits for another that does';
    err(`${errPaint.yellow('stays as it is:')} ${onOneLine(address)}${why}\n`);
  }
}

/** What the rules of the project say against an undo: all of it, since what stays now may be made when it is resumed. */
async function dangers(
  saved: SavedPlan,
  { gateway, project }: Running,
  limits: Limited | undefined,
): Promise<readonly Problem[]> {
  try {
    const live = await readLive(gateway, selectKindsToCheck(saved, catalog.kinds));
    return guardUndo(saved.changes, live, rulesOf({}, project), catalog.kinds, limits);
  } catch (error) {
    return [problemOf(error)];
  }
}
