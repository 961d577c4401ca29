import { findExcluded } from '../../apply/run-state.ts';
import type { BoundPlan } from '../../apply/verify/check-plan.ts';
import type { Gateway } from '../../gateway/gateway.ts';
import { sameJson } from '../../model/json/json.ts';
import type { KindSet } from '../../model/kind.ts';
import {
  makeProblem,
  applyLint,
  type Checked,
  hasErrors,
  type LocatedProblem,
  type Problem,
} from '../../model/problem.ts';
import { kindOf, type Address, type Resource } from '../../model/resource.ts';
import type { LiveState } from '../../model/state.ts';
import { idOf, isStep, type Change, type ChangeId } from '../../plan/change/change.ts';
import { countActions } from '../../plan/change/plan.ts';
import { type SavedChange, type SavedPlan, redactSaved } from '../../plan/saved/saved-plan.ts';
import { sealStepOfUndo } from '../../plan/saved/seal-plan.ts';
import type { ShownPlan } from '../../plan/secrets/redact.ts';
import { orderLeft } from '../../plan/undo/order-left.ts';
import { leaveOut, withoutHalves, withoutTaken } from '../../plan/undo/undo.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import type { Host } from '../host.ts';
import { gatewayProblem, readGateway } from '../live/read-live.ts';
import { checkTarget } from '../live/target.ts';
import { openSavedPlan, restoreSecrets } from '../plan/saved-plan.ts';
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
import { assessNow } from './find-exposures.ts';
import { readRun } from './journal-files.ts';
import { withRun } from './with-run.ts';
import {
  checkAndMakeChanges,
  type CheckedChanges,
  compareWithLive,
  resultOf,
  type Task,
} from './make-changes.ts';
import { askApproval, endEarly, type Run, type RunOptions, type Ended, type RunResult } from './start-run.ts';

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
type Application = {
  /** What is known of an earlier run that is resumed or undone. */
  readonly task?: Pick<Task, 'resumes' | 'deleted' | 'undoes' | 'undone' | 'earlier'>;
  /** What is wrong with the plan as it was found. */
  readonly check: (saved: SavedPlan) => Problem | undefined;
  readonly conditions: PlanConditions;
  /** Of an undo: the file of topics that a user names. */
  readonly topics?: string | undefined;
  /** How the file is read. Default: as one that the user names. */
  readonly read?: Host['readFile'];
};

/** Applies a saved plan, or what is left of it. What is excluded since a secret is missing may be made when the run is resumed. */
export async function applyFile(run: Run, file: string, application: Application): Promise<Ended> {
  const { task = {}, conditions: asked } = application;
  const admitted = await admit(run, file, application);
  if ('result' in admitted) return admitted;
  const { kept, topics, problems } = admitted;
  const current = await bringUpToDate(run, admitted, application);
  if ('result' in current) return current;
  const { saved, live, shown } = current;
  const conditions = { ...asked, topics };

  const restored = await restoreSecrets(run.host, run.workspace, saved);
  run.emit({ type: 'planned', shown });
  const excluded = excludedBy(restored.problems);
  const held = findExcluded(saved.changes, excluded);
  const isLeft = saved.changes.some((change) => !held.has(idOf(change)));
  const inPart = saved.undoes !== undefined && isLeft && (run.keepGoing || run.approve !== undefined);
  if (hasErrors(restored.problems) && !(inPart && restored.problems.every(isOfObject)))
    return endEarly('error', [...problems, ...restored.problems], shown);
  if (saved.changes.length === 0) return endEarly('no-changes', problems, shown);

  const { relies, salt } = saved;
  const plan = { changes: restored.value, relies, salt, excluded };
  // The question is about what may be done.
  const unsafe =
    run.approve === undefined || live === undefined
      ? []
      : await checkBeforeQuestion(
          run,
          saved,
          { ...plan, earlier: task.earlier },
          { ...conditions, held, live },
        );
  const told = [...problems, ...unsafe];
  if (hasErrors(unsafe)) return endEarly(resultOf(unsafe), told, shown);
  run.emit({ type: 'warned', problems: told });
  if (held.size > 0) run.emit(heldBackEvent(saved.changes, held, excluded));
  const refused = await askApproval(run, { shown, part: held.size === 0 ? 'all' : 'rest' });
  if (refused !== undefined) return endEarly(refused, told, shown);

  const goingOn = { ...run, keepGoing: run.keepGoing || held.size > 0 };
  const guard = guardSavedPlan(run, saved, conditions);
  const ids = new Set(saved.changes.map(idOf));
  const taken = kept.changes.filter((change) => !ids.has(idOf(change)));
  return checkAndMakeChanges(goingOn, {
    ...{ ...plan, shown, problems: told, saved: () => kept, taken, guard },
    ...task,
  });
}

/** A saved plan that may be applied here and now, and what is to be told of it. */
type Admitted = {
  readonly kept: SavedPlan;
  readonly topics: readonly string[] | undefined;
  readonly problems: readonly Problem[];
};

/** Reads a saved plan, and checks all that needs no gateway but for its kinds. */
async function admit(
  run: Run,
  file: string,
  { check, conditions, read, topics: named }: Application,
): Promise<Admitted | Ended> {
  const { host, workspace, gateway } = run;
  const { value: kept, kinds, problems } = await openSavedPlan(host, file, run.planKeys, read);
  if (kept === undefined) return endEarly('error', problems);
  const otherKinds = await checkKinds(workspace, kept, kinds);
  if (otherKinds !== undefined) return endEarly('stale', [...problems, otherKinds]);
  const wrongPlan = check(kept);
  if (wrongPlan !== undefined) return endEarly('error', [...problems, wrongPlan]);
  const shown = (): ShownPlan => redactSaved(kept, workspace.catalog.kinds);
  const wrongTarget = checkTarget(kept, gateway.url, workspace) ?? checkAdmission(host, kept, conditions);
  if (wrongTarget !== undefined) return endEarly('stale', [...problems, wrongTarget], shown());
  await learnDeclared(host, workspace);
  const topics = await topicsFor(run, kept, named);
  const all = [...problems, ...topics.problems];
  if (hasErrors(topics.problems)) return endEarly('error', all, shown());
  return { kept, topics: topics.value, problems: all };
}

/** What is to be done, and what the gateway has; of other plans than an undo that is read later. */
type Current = {
  readonly saved: SavedPlan;
  readonly live: LiveState | undefined;
  readonly shown: ShownPlan;
};

/** An undo was planned before its run, so what it does, and means for clients, follows from what the gateway has now. */
async function bringUpToDate(
  run: Run,
  { kept, topics, problems }: Admitted,
  { conditions, task: { earlier, resumes } = {} }: Application,
): Promise<Current | Ended> {
  const { workspace, gateway } = run;
  const { kinds } = workspace.catalog;
  if (kept.undoes === undefined)
    return { saved: kept, live: undefined, shown: redactSaved(kept, kinds, undefined) };
  try {
    const live = await readGateway(workspace, gateway);
    const isSure = (change: SavedChange): boolean =>
      resumes === undefined && earlier?.isUnshown(change, true) !== true;
    // What its run did not come to is as somebody else wants it.
    const undone = await readRun(run.host, run.journal ?? '', kept.undoes.run);
    const isOthers = ({ address }: SavedChange): boolean => undone.value?.called.has(address) === false;
    const saved = asFound(run, kept, live.resources, { isSure, isOthers });
    const judging = { accepted: conditions.acceptExposure, topics };
    const now = assessNow(run, live.resources, saved.changes, judging);
    return { saved, live, shown: redactSaved(saved, kinds, now) };
  } catch (error) {
    return endEarly('error', [...problems, gatewayProblem(error)]);
  }
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
  { isSure, isOthers }: Readonly<Record<'isSure' | 'isOthers', (change: SavedChange) => boolean>>,
): SavedPlan {
  const { kinds } = workspace.catalog;
  const seal = (step: Change): SavedChange => sealStepOfUndo(step, kinds, saved.salt);
  const { protection } = rulesOf(workspace);
  const left = leaveOut(saved.changes, live, isOthers);
  const { known } = workspace.secrets;
  const inOrder = orderLeft(withoutHalves(left, live, kinds), live, kinds, seal, protection, known);
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
