import { findExcluded } from '../../apply/find-excluded.ts';
import { selectKindsToCheck } from '../../apply/verify/check-plan.ts';
import type { Gateway } from '../../gateway/gateway.ts';
import { hasErrors, isBlocked, type LocatedProblem, type Problem } from '../../model/problem.ts';
import type { Address } from '../../model/resource.ts';
import type { Limited } from '../../model/rules.ts';
import { idOf, type ChangeId } from '../../plan/change/plan.ts';
import type { SavedChange, SavedPlan } from '../../plan/saved/saved-plan.ts';
import { redact } from '../../plan/secrets/redact.ts';
import { guardUndo } from '../../plan/undo/guard-undo.ts';
import { catalog } from '../../schema/kinds/index.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import type { Host } from '../host.ts';
import { gatewayProblem, readGateway } from '../live/read-live.ts';
import { checkTarget } from '../live/target.ts';
import { rulesOf } from '../plan/plan.ts';
import { openSavedPlan, restoreSecrets } from '../plan/saved-plan.ts';
import type { OpenProject } from '../project/project.ts';
import { checkAdmission, guardSavedPlan, type PlanConditions } from './admit-plan.ts';
import { withRun } from './lock.ts';
import { checkAndMakeChanges, type Task } from './make-changes.ts';
import { askApproval, endEarly, type Run, type RunOptions, type RunResult } from './run.ts';

/** Makes the changes of a saved plan, if everything that it was made for is still so. Throws a RequestError when there is no such file. */
export function applySavedPlan(
  host: Host,
  project: OpenProject,
  gateway: Gateway,
  file: string,
  options: RunOptions & PlanConditions = {},
): Promise<RunResult> {
  return withRun(host, project, gateway, options, (run) =>
    applyFile(run, file, {
      check: ({ undoes }) => (undoes === undefined ? undefined : reportUndo(file, undoes.run)),
      admit: (saved) => checkAdmission(host, saved, options),
      guardFor: (saved) => guardSavedPlan(run, saved, options),
    }),
  );
}

function reportUndo(file: string, run: string): Problem {
  const message = `${file} is the undo of run ${run}`;
  return { code: 'invalid-plan', severity: 'error', message, hint: `use gwconf undo ${run}` };
}

/** On what conditions a saved plan is applied, beside its own. */
export type Conditions = Pick<Task, 'resumes' | 'deleted' | 'undoes' | 'earlier'> & {
  /** What is wrong with the plan as it was found. */
  readonly check?: (saved: SavedPlan) => Problem | undefined;
  /** How the file is read. Default: as one that the user names. */
  readonly read?: Host['readFile'];
  /** Why the plan is not for this job, or too old. */
  readonly admit?: (saved: SavedPlan) => Problem | undefined;
  readonly guardFor?: (saved: SavedPlan) => NonNullable<Task['guard']>;
  /** The limits of an undo, in place of those of the project. */
  readonly limits?: Limited | undefined;
};

export async function applyFile(
  run: Run,
  file: string,
  { check, read, admit, guardFor, limits, ...task }: Conditions,
): Promise<RunResult> {
  const { host, project, gateway, emit } = run;
  const { value: saved, problems } = await openSavedPlan(host, file, run.planKeys, read);
  if (saved === undefined) return endEarly('error', problems);
  const wrongPlan = check?.(saved);
  if (wrongPlan !== undefined) return endEarly('error', [...problems, wrongPlan]);
  const shown = redact({ ...saved, counts: saved.summary }, catalog.kinds);
  const wrongTarget = checkTarget(saved, gateway.url, project) ?? admit?.(saved);
  if (wrongTarget !== undefined) return endEarly('stale', [...problems, wrongTarget], shown);
  const restored = await restoreSecrets(host, project, saved);
  emit({ type: 'planned', shown });
  const excluded = excludedBy(restored.problems);
  const held = findExcluded(saved.changes, excluded);
  const isLeft = saved.changes.some((change) => !held.has(idOf(change)));
  const inPart = saved.undoes !== undefined && isLeft && (run.keepGoing || run.approve !== undefined);
  if (hasErrors(restored.problems) && !(inPart && restored.problems.every(isOfObject)))
    return endEarly('error', [...problems, ...restored.problems], shown);
  if (saved.changes.length === 0) return endEarly('no-changes', problems, shown);
  // No person has reviewed an undo. A run that is resumed was held to the limits before.
  const isNewUndo = saved.undoes !== undefined && task.resumes === undefined;
  const unsafe = isNewUndo ? await checkUndo(run, saved, limits) : [];
  if (hasErrors(unsafe))
    return endEarly(isBlocked(unsafe) ? 'blocked' : 'error', [...problems, ...unsafe], shown);
  emit({ type: 'warned', problems });
  if (held.size > 0) emit(heldBackEvent(saved.changes, held, excluded));
  const refused = await askApproval(run, { shown, part: held.size === 0 ? 'all' : 'rest' });
  if (refused !== undefined) return endEarly(refused, problems, shown);
  const { relies, salt } = saved;
  const plan = { changes: restored.value, relies, salt, excluded };
  const goingOn = { ...run, keepGoing: run.keepGoing || held.size > 0 };
  const guard = guardFor === undefined ? {} : { guard: guardFor(saved) };
  return checkAndMakeChanges(goingOn, { ...plan, shown, problems, saved: () => saved, ...guard, ...task });
}

/** The objects whose secrets are missing, each with the first thing that is wrong. */
function excludedBy(problems: readonly Problem[]): ReadonlyMap<Address, LocatedProblem> {
  const located = [...locateProblems(problems)].reverse();
  return new Map(
    located.flatMap((problem) => (problem.address === undefined ? [] : [[problem.address, problem]])),
  );
}

function isOfObject({ address }: Problem): boolean {
  return address !== undefined;
}

function heldBackEvent(
  changes: readonly SavedChange[],
  held: ReadonlySet<ChangeId>,
  excluded: ReadonlyMap<Address, LocatedProblem>,
): Parameters<Run['emit']>[0] {
  const addresses = new Set(changes.filter((change) => held.has(idOf(change))).map(({ address }) => address));
  return {
    type: 'held-back',
    problems: [...excluded.values()],
    addresses: [...addresses].map((address) => ({ address, isDependent: !excluded.has(address) })),
  };
}

/** Holds all of an undo to the rules of the project, since what is excluded now may be made when it is resumed. */
async function checkUndo(
  { project, gateway }: Run,
  saved: SavedPlan,
  limits: Limited | undefined,
): Promise<readonly Problem[]> {
  try {
    const live = await readGateway(project, gateway, selectKindsToCheck(saved, catalog.kinds));
    return guardUndo(saved.changes, live, rulesOf(project), catalog.kinds, limits);
  } catch (error) {
    return [gatewayProblem(error)];
  }
}
