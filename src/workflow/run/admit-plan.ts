import type { Journal } from '../../apply/journal/journal.ts';
import { findMisstatements, findUndoMisstatements } from '../../apply/verify/find-misstatements.ts';
import { type Checked, type Problem, applyLint } from '../../model/problem.ts';
import type { Limited } from '../../model/rules.ts';
import type { LiveState } from '../../model/state.ts';
import { idOf } from '../../plan/change/change.ts';
import { checkListedValues, findNeededLists } from '../../plan/checks/unlisted-values.ts';
import { reasonsOf } from '../../plan/checks/exposures.ts';
import { guardPlan, guardUndo } from '../../plan/checks/guard.ts';
import { type SavedChange, type SavedPlan, unpack } from '../../plan/saved/saved-plan.ts';
import { hasKeys } from '../../plan/saved/signature.ts';
import { withoutHalves } from '../../plan/undo/undo.ts';
import type { Host } from '../host.ts';
import { readListed } from '../live/read-live.ts';
import { readOrigin } from '../plan/saved-plan.ts';
import type { Judged } from '../project/check-project.ts';
import { obeyPolicies } from '../project/obey-policies.ts';
import { todayOf } from '../project/input.ts';
import { rulesOf } from '../project/workspace.ts';
import { isUndone } from './find-run.ts';
import { findRunOf, isApplied } from './journal-files.ts';
import { assessNow, findUnseen } from './find-exposures.ts';
import type { CheckedChanges, Task } from './make-changes.ts';
import type { Run } from './start-run.ts';

/** What the command line says of a saved plan, of a run that is resumed, and of an undo. */
export type PlanConditions = {
  /** The commit that the plan must be made of. */
  readonly expectCommit?: string | undefined;
  /** In place of `manages` of the project. */
  readonly manages?: readonly string[] | undefined;
  /** In place of the limits of the project and of the plan. */
  readonly limits?: Limited | undefined;
  /** Globs for the interceptors whose protection may be lost, beside what the project accepts. */
  readonly acceptExposure?: readonly string[] | undefined;
};

/** The same with the topics of a file that patterns are judged by. */
export type KnownConditions = PlanConditions & { readonly topics?: readonly string[] | undefined };

/** Why a saved plan is not applied in this job or not any more; undefined if it is. */
export function checkAdmission(
  host: Host,
  saved: SavedPlan,
  { expectCommit }: PlanConditions,
): Problem | undefined {
  const { origin, expiresAt, undoes } = saved;
  const here = readOrigin(host.env)?.repository;
  const isSigned = (saved.mac ?? saved.signature) !== undefined;
  if (isSigned && origin?.repository !== undefined && here !== undefined && origin.repository !== here)
    return refuse(
      'wrong-target',
      `the plan was made for the repository ${origin.repository}, and this is ${here}`,
      'plan again in this repository',
    );
  const expected = undoes === undefined ? expectCommit : undefined; // no commit has an undo
  if (expected !== undefined && origin?.commit?.toLowerCase() !== expected.toLowerCase()) {
    const made =
      origin?.commit === undefined ? 'does not say its commit' : `was made of the commit ${origin.commit}`;
    const message = `the plan ${made}; expected ${expected}`;
    return refuse('wrong-target', message, 'plan again at that commit, in a job that names it');
  }
  const now = host.now();
  if (expiresAt !== undefined && !(now.getTime() <= Date.parse(expiresAt))) {
    const message = `the plan expired at ${expiresAt}, and it is ${now.toISOString()}`;
    return refuse('expired-plan', message, 'plan again; plan --valid-for sets how long a plan is valid');
  }
  return undefined;
}

/** Checks, once the gateway is read, that a saved plan does what it shows and what the project allows now. */
export function guardSavedPlan(
  run: Run,
  saved: SavedPlan,
  conditions: KnownConditions,
): NonNullable<Task['guard']> {
  return async ({ changes, already, held, live }) => {
    const left = changes.filter((change) => !already.has(idOf(change)));
    if (left.length === 0) return [];
    const { value: applied, problems: unread } = await findEarlierRun(run, saved);
    if (unread.length > 0) return unread;
    if (applied !== undefined) {
      const { run: earlier, at } = applied.started;
      const message = isApplied(applied)
        ? `run ${earlier} has applied this plan already, at ${at}`
        : `run ${earlier} has applied a part of this plan, at ${at}, and was undone`;
      return [refuse('applied-plan', message, 'plan again: the gateway has changed back since')];
    }
    const misstated =
      saved.undoes === undefined
        ? findMisstatements({ ...saved, changes }, already, live.resources, run.workspace.catalog.kinds)
        : findUndoMisstatements(changes, already, live.resources, run.workspace.catalog.kinds);
    if (misstated.length > 0) return misstated;
    const { undoes, exposures = [], weakenings = [] } = saved;
    const reviewed =
      undoes === undefined ? { exposures: unpack(exposures), weakenings: unpack(weakenings) } : undefined;
    const found = { changes, already, live };
    const { acceptExposure: accepted, topics } = conditions;
    const moved = reviewed && findUnseen(run, reviewed, found, { accepted, topics });
    if (moved !== undefined && moved.length > 0) return moved;
    const listed = await readListed(run.gateway, findNeededLists(left, run.workspace.catalog.kinds));
    const unlisted = applyLint(
      checkListedValues(left, listed, run.workspace.catalog.kinds),
      run.workspace.project.lint,
    );
    return [...unlisted, ...(await checkRules(run, saved, left, { live, held, ...conditions }))];
  };
}

/** The run that has applied a plan completely, or was undone, whatever it had come to. An undo may be made again. */
async function findEarlierRun(run: Run, saved: SavedPlan): Promise<Checked<Journal | undefined>> {
  const { host, journal: folder } = run;
  if (folder === undefined || saved.undoes !== undefined) return { value: undefined, problems: [] };
  return findRunOf(host, folder, saved.digest, async (one) => isApplied(one) || (await isUndone(run, one)));
}

/** What the project as it is now says against changes of a saved plan. */
export async function checkRules(
  run: Run,
  saved: SavedPlan,
  planned: readonly SavedChange[],
  {
    live,
    held,
    manages,
    limits,
    acceptExposure = [],
    topics,
  }: KnownConditions & Pick<CheckedChanges, 'live' | 'held'>,
): Promise<readonly Problem[]> {
  const { workspace, planKeys } = run;
  const { kinds } = workspace.catalog;
  const changes = withoutHalves(planned, live.resources, kinds);
  const rules = rulesOf(workspace, manages);
  const trusted = hasKeys(planKeys) ? saved.limits : {};
  const allowed = { ...rules, limits: { ...rules.limits, ...trusted, ...limits } };
  const found =
    saved.undoes === undefined
      ? guardPlan(saved.managed, changes, live, allowed, kinds, todayOf(run.host))
      : guardUndo(changes, live, allowed, kinds);
  const made = changes.filter((change) => !held.has(idOf(change)));
  const { problems, ...losses } = assessNow(run, live.resources, made, {
    accepted: acceptExposure,
    topics,
    // Anybody may write into an unsigned plan why it deletes something.
    ...(hasKeys(planKeys) ? { removed: reasonsOf(made) } : {}),
  });
  return [...found, ...problems, ...(await askPolicies(run, saved, { changes: made, losses }, live))];
}

/** An undo brings back what was there: nothing that is urgent waits for a waiver. */
async function askPolicies(
  { host, workspace }: Run,
  { undoes }: SavedPlan,
  judged: { readonly changes: readonly SavedChange[] } & Pick<Judged, 'losses'>,
  live: LiveState,
): Promise<readonly Problem[]> {
  const told = await obeyPolicies(host, workspace, { ...judged, live });
  if (undoes === undefined) return told;
  return told.map((problem) =>
    problem.severity === 'error' ? { ...problem, severity: 'warning' } : problem,
  );
}

function refuse(code: Problem['code'], message: string, hint: string): Problem {
  return { code, severity: 'error', message, hint };
}
