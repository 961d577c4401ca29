import { findExcluded } from '../../apply/run-state.ts';
import { bindPlan, type BoundPlan, selectKindsToCheck } from '../../apply/verify/check-plan.ts';
import type { Gateway } from '../../gateway/gateway.ts';
import { sameJson } from '../../model/json/json.ts';
import type { KindSet } from '../../model/kind.ts';
import {
  makeProblem,
  applyLint,
  type Checked,
  hasErrors,
  isBlocked,
  type LocatedProblem,
  type Problem,
} from '../../model/problem.ts';
import { kindOf, type Address, type Resource } from '../../model/resource.ts';
import type { LiveState } from '../../model/state.ts';
import { idOf, isStep, type Change, type ChangeId } from '../../plan/change/change.ts';
import { countActions } from '../../plan/change/plan.ts';
import { reasonsOf } from '../../plan/checks/exposures.ts';
import { type SavedChange, type SavedPlan, redactSaved } from '../../plan/saved/saved-plan.ts';
import { sealStepOfUndo } from '../../plan/saved/seal-plan.ts';
import { orderLeft } from '../../plan/undo/reverse.ts';
import { makeUndo, withoutHalves, withoutTaken } from '../../plan/undo/undo.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import type { Host } from '../host.ts';
import { gatewaySource } from '../live/live-source.ts';
import { gatewayProblem, readGateway } from '../live/read-live.ts';
import { checkTarget } from '../live/target.ts';
import { planProject, type PlanOptions } from '../plan/plan.ts';
import {
  defaultValidity,
  isForPrincipals,
  savePlan,
  openSavedPlan,
  restoreSecrets,
} from '../plan/saved-plan.ts';
import { learnDeclared } from '../project/input.ts';
import { formOf } from '../project/known-kinds.ts';
import { checkSameTopics, readTopics } from '../project/topics-file.ts';
import { rulesOf, type Workspace } from '../project/workspace.ts';
import {
  checkAdmission,
  checkRules,
  guardSavedPlan,
  type KnownConditions,
  type PlanConditions,
} from './admit-plan.ts';
import { assessNow, findUnseen } from './find-exposures.ts';
import { withRun } from './with-run.ts';
import {
  checkAndMakeChanges,
  type CheckedChanges,
  compareWithLive,
  resultOf,
  makeChanges,
  type Task,
} from './make-changes.ts';
import { askApproval, endEarly, type Run, type RunOptions, type Ended, type RunResult } from './start-run.ts';

/** Plans and makes the changes. Throws a RequestError when there is nothing to read. */
export function applyProject(
  host: Host,
  workspace: Workspace,
  gateway: Gateway,
  options: PlanOptions & RunOptions = {},
): Promise<RunResult> {
  return withRun(host, workspace, gateway, options, (run) => planAndApply(run, options));
}

async function planAndApply(run: Run, options: PlanOptions): Promise<Ended> {
  const { host, workspace, gateway } = run;
  const elsewhere = checkTarget(undefined, gateway.url, workspace);
  if (elsewhere !== undefined) return endEarly('stale', [elsewhere]);
  const source = gatewaySource(workspace, gateway, host.clock);
  const planned = await planProject(host, workspace, source, { ...options, warnings: [] }); // the run tells them
  const { plan, shown, problems } = planned;
  const failed = isBlocked(problems) ? 'blocked' : 'error';
  if (plan === undefined || shown === undefined || (hasErrors(problems) && failed === 'error'))
    return endEarly(failed, problems);
  run.emit({ type: 'planned', shown });
  if (hasErrors(problems)) return endEarly(failed, problems, shown);
  if (plan.changes.length === 0) return endEarly('no-changes', problems, shown);
  run.emit({ type: 'warned', problems });
  const keys = run.planKeys;
  const task = {
    ...bindPlan(plan, workspace.catalog.kinds),
    shown,
    problems,
    ...(planned.live === undefined ? {} : { before: planned.live.resources }),
    guard: ({ changes, already, held, live }: CheckedChanges) => {
      const left = changes.filter((change) => !already.has(idOf(change)) && !held.has(idOf(change)));
      const { acceptExposure } = options;
      const judging = { accepted: acceptExposure, topics: planned.topics };
      const moved = findUnseen(run, plan, { changes, already, live }, judging);
      const removed = reasonsOf(left);
      return Promise.resolve(
        moved.length > 0 ? moved : assessNow(run, live.resources, left, { ...judging, removed }).problems,
      );
    },
    saved: () =>
      savePlan(host, workspace, { ...planned, files: [] }, plan, { keys, validForMs: defaultValidity(keys) }),
  };
  if (run.approve === undefined) return makeChanges(run, task);
  if (run.journal !== undefined)
    run.emit({ type: 'losses', losses: makeUndo(plan.changes, workspace.catalog.kinds).losses });
  const refused = await askApproval(run, { shown, part: 'all' });
  if (refused !== undefined) return endEarly(refused, problems, shown);
  // The gateway may have changed while the question stood.
  return checkAndMakeChanges(run, { ...task, areLossesReported: true });
}

/** Makes the changes of a saved plan, if everything that it was made for is still so. Throws a RequestError when there is no such file. */
export function applySavedPlan(
  host: Host,
  workspace: Workspace,
  gateway: Gateway,
  file: string,
  options: RunOptions & PlanConditions = {},
): Promise<RunResult> {
  return withRun(host, workspace, gateway, options, (run) =>
    applyFile(run, file, {
      check: ({ undoes }) => (undoes === undefined ? undefined : reportUndo(file, undoes.run)),
      conditions: options,
    }),
  );
}

function reportUndo(file: string, run: string): Problem {
  const message = `${file} is the undo of run ${run}`;
  return makeProblem({ code: 'invalid-plan', message, hint: `use gwconf undo ${run}` });
}

/** How a saved plan is applied: in a new run, in one that is resumed, or as an undo. */
type Application = Pick<Task, 'resumes' | 'deleted' | 'undoes' | 'undone' | 'earlier'> & {
  /** What is wrong with the plan as it was found. */
  readonly check: (saved: SavedPlan) => Problem | undefined;
  readonly conditions: PlanConditions;
  /** Of an undo: the file of topics that a user names. */
  readonly topics?: string | undefined;
  /** How the file is read. Default: as one that the user names. */
  readonly read?: Host['readFile'];
};

export async function applyFile(
  run: Run,
  file: string,
  { check, conditions: asked, read, topics: named, ...task }: Application,
): Promise<Ended> {
  const { host, workspace, gateway, emit } = run;
  const opened = await openSavedPlan(host, file, run.planKeys, read);
  const kept = opened.value;
  if (kept === undefined) return endEarly('error', opened.problems);
  const otherKinds = await checkKinds(workspace, kept, opened.kinds);
  if (otherKinds !== undefined) return endEarly('stale', [...opened.problems, otherKinds]);
  const wrongPlan = check(kept);
  if (wrongPlan !== undefined) return endEarly('error', [...opened.problems, wrongPlan]);
  const wrongTarget = checkTarget(kept, gateway.url, workspace) ?? checkAdmission(host, kept, asked);
  if (wrongTarget !== undefined)
    return endEarly('stale', [...opened.problems, wrongTarget], redactSaved(kept, workspace.catalog.kinds));
  if (isForPrincipals(kept)) await learnDeclared(host, workspace);
  const { value: topics, problems: ofTopics } = await topicsFor(run, kept, named);
  const problems = [...opened.problems, ...ofTopics];
  if (hasErrors(ofTopics)) return endEarly('error', problems, redactSaved(kept, workspace.catalog.kinds));
  const conditions = { ...asked, topics };
  // An undo was planned before its run, so what it does, and means for clients, follows from what the gateway has now.
  let live: LiveState | undefined;
  try {
    const needed = selectKindsToCheck(kept, workspace.catalog.kinds);
    if (kept.undoes !== undefined) live = await readGateway(workspace, gateway, needed);
  } catch (error) {
    return endEarly('error', [...problems, gatewayProblem(error)]);
  }
  const { earlier } = task;
  const isSure = (change: SavedChange): boolean =>
    task.resumes === undefined && earlier?.isUnshown(change, true) !== true;
  const saved = live === undefined ? kept : asFound(run, kept, live.resources, isSure);
  const isJudged = isForPrincipals(saved) || saved.changes.some(({ action }) => action === 'replace');
  const judging = { accepted: asked.acceptExposure, topics };
  const now = live && isJudged ? assessNow(run, live.resources, saved.changes, judging) : undefined;
  const shown = redactSaved(saved, workspace.catalog.kinds, now);
  const restored = await restoreSecrets(host, workspace, saved);
  emit({ type: 'planned', shown });
  const excluded = excludedBy(restored.problems);
  const held = findExcluded(saved.changes, excluded);
  const isLeft = saved.changes.some((change) => !held.has(idOf(change)));
  const inPart = saved.undoes !== undefined && isLeft && (run.keepGoing || run.approve !== undefined);
  if (hasErrors(restored.problems) && !(inPart && restored.problems.every(isOfObject)))
    return endEarly('error', [...problems, ...restored.problems], shown);
  if (saved.changes.length === 0) return endEarly('no-changes', problems, shown);
  const { relies, salt } = saved;
  const plan = { changes: restored.value, relies, salt, excluded };
  // The question is about what may be done. What is excluded now may be made when the run is resumed.
  const unsafe =
    run.approve === undefined || live === undefined
      ? []
      : await checkBeforeQuestion(run, saved, { ...plan, earlier }, { ...conditions, held, live });
  const told = [...problems, ...unsafe];
  if (hasErrors(unsafe)) return endEarly(resultOf(unsafe), told, shown);
  emit({ type: 'warned', problems: told });
  if (held.size > 0) emit(heldBackEvent(saved.changes, held, excluded));
  const refused = await askApproval(run, { shown, part: held.size === 0 ? 'all' : 'rest' });
  if (refused !== undefined) return endEarly(refused, told, shown);
  const goingOn = { ...run, keepGoing: run.keepGoing || held.size > 0 };
  const guard = guardSavedPlan(run, saved, conditions);
  const ids = new Set(saved.changes.map(idOf));
  const taken = kept.changes.filter((change) => !ids.has(idOf(change)));
  const about = { shown, problems: told, saved: () => kept, taken, guard };
  return checkAndMakeChanges(goingOn, { ...plan, ...about, ...task });
}

/**
 * The topics of a file that a plan is judged by: those that it was made with. An undo was planned before its run, so it is judged
 * by those of today. Tells where these are no longer those of the plan.
 */
async function topicsFor(
  { host, workspace }: Run,
  saved: SavedPlan,
  named: string | undefined,
): Promise<Checked<readonly string[] | undefined>> {
  if (!isForPrincipals(saved)) return { value: undefined, problems: [] };
  const { value: today, problems } = await readTopics(host, workspace, named);
  const { undoes, topics } = saved;
  if (undoes !== undefined) return { value: today, problems };
  if (today === undefined) return { value: topics, problems: [] };
  // The plan has its own: that there is none now, or a wrong one, changes nothing.
  const others = problems.map((one): Problem => ({ ...one, severity: 'warning' }));
  const moved = hasErrors(problems) ? [] : checkSameTopics(topics, today);
  return { value: topics, problems: applyLint([...others, ...moved], workspace.project.lint) };
}

/** A plan carries kinds to be shown by; the gateway, or a copy of its description, says whether they are what it has. */
async function checkKinds(
  { catalog }: Workspace,
  { changes }: SavedPlan,
  planned: KindSet,
): Promise<Problem | undefined> {
  const names = new Set(changes.map(({ address }) => kindOf(address)));
  if ([...names].some((name) => !catalog.kinds.has(name))) await catalog.ask();
  for (const name of names) {
    const [one, other] = [planned, catalog.kinds].map((kinds) => formOf(kinds.get(name)));
    if (sameJson(one, other)) continue;
    const message = `the gateway describes ${name} otherwise than the plan${other === undefined ? ', or not at all' : ''}`;
    return makeProblem({ code: 'stale-plan', message, hint: 'plan again' });
  }
  return undefined;
}

function asFound(
  { workspace }: Run,
  saved: SavedPlan,
  live: ReadonlyMap<Address, Resource>,
  isSure: (change: SavedChange) => boolean,
): SavedPlan {
  const { kinds } = workspace.catalog;
  const seal = (step: Change): SavedChange => sealStepOfUndo(step, kinds, saved.salt);
  const { protection } = rulesOf(workspace);
  const inOrder = orderLeft(withoutHalves(saved.changes, live), live, kinds, seal, protection);
  const changes = withoutTaken(inOrder, live, kinds, isSure);
  const own = (all: readonly Change[]): number => all.filter((one) => !isStep(one)).length;
  const unchanged = own(saved.changes) - own(changes);
  return { ...saved, changes, summary: { ...saved.summary, ...countActions(changes), unchanged } };
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

/** What has changed since comes first: whoever raises a limit would be stopped by it then. */
async function checkBeforeQuestion(
  run: Run,
  saved: SavedPlan,
  { earlier, ...plan }: BoundPlan & { readonly earlier: Task['earlier'] | undefined },
  conditions: KnownConditions & Pick<CheckedChanges, 'held' | 'live'>,
): Promise<readonly Problem[]> {
  try {
    const { already, stale } = await compareWithLive(run, plan, conditions.live, saved.undoes);
    const isMade = (change: SavedChange): boolean => already.has(idOf(change));
    const isLate = saved.changes.some((one) => earlier?.isUnshown(one, isMade(one)) === true);
    if (stale.length > 0 && !isLate) return stale;
    const left = saved.changes.filter((change) => !isMade(change));
    return await checkRules(run, saved, left, conditions);
  } catch (error) {
    return [gatewayProblem(error)];
  }
}
