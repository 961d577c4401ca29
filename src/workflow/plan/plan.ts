import { boundsFor } from '../../apply/limiter/limiter.ts';
import { timeExposures } from '../../apply/estimate.ts';
import type { ProblemCode } from '../../model/problem-codes.ts';
import { hasErrors, type Problem, type SourceFile, applyLint, onlyErrors } from '../../model/problem.ts';
import type { Limited } from '../../model/rules.ts';
import type { DesiredState, LiveState } from '../../model/state.ts';
import type { Cause } from '../../plan/change/change.ts';
import type { Plan } from '../../plan/change/plan.ts';
import { isLoss } from '../../plan/checks/exposures.ts';
import { checkFiles } from '../../plan/checks/world-checks.ts';
import { checkListedValues, findNeededLists } from '../../plan/checks/unlisted-values.ts';
import { encodePlan } from '../../plan/saved/decode-plan.ts';
import { redact, type ShownPlan } from '../../plan/secrets/redact.ts';
import type { Lazy } from '../../outcome/lazy.ts';
import { makePlanReport, type PlanReport } from '../../outcome/plan.ts';
import { ignoreAbove, locateProblems } from '../../schema/load/locate.ts';
import type { Former, FoundBase, openBase, OpenBase } from '../base/open-base.ts';
import type { Host } from '../host.ts';
import { writeFile } from '../write-file.ts';
import type { LiveSource } from '../live/live-source.ts';
import { type NotOpened, gatewayProblem } from '../live/read-live.ts';
import { learnDeclared, loadInput, todayOf, type Input, type InputOptions } from '../project/input.ts';
import { acceptLive, mayBeLive } from './accept-live.ts';
import { checkSameGateway } from '../project/same-gateway.ts';
import { readTopics } from '../project/topics-file.ts';
import { type Workspace, rulesOf } from '../project/workspace.ts';
import { obeyPolicies } from '../project/obey-policies.ts';
import { judgeOf, plannerOf } from './planner.ts';
import { savePlan, type SaveOptions } from './saved-plan.ts';

/** What a plan or a drift report looks at. */
export type ScopeOptions = InputOptions & {
  /** Globs over addresses; a leading `!` excludes. Default: all. */
  readonly target?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
  /** Globs over the addresses that the files are responsible for. Default: what the environment says. */
  readonly manages?: readonly string[] | undefined;
  /** What was found when the gateway was opened: the outcome says it, too. */
  readonly warnings?: readonly Problem[] | undefined;
};

export type PlanOptions = ScopeOptions & {
  /** How much one run may do; these win over the limits of the environment. */
  readonly limits?: Limited | undefined;
  /** Globs for the interceptors whose protection may be lost, beside what the environment accepts. */
  readonly acceptExposure?: readonly string[] | undefined;
  /** The branch that this one is to be merged into: each change gets its cause. A commit-ish of git. */
  readonly base?: string | undefined;
  /** What blocks the plan: a loss of protection that nobody accepts; with a base, causes. Default: nothing. */
  readonly failOn?: readonly (Cause | 'loss')[] | undefined;
  /** A file with a topic on each line, or `-`, in place of that of the project: topics of each virtual cluster. */
  readonly topics?: string | undefined;
  /** The file that keeps the plan, if it can be applied. */
  readonly saveTo?: (SaveOptions & { readonly path: string }) | undefined;
};

/** A plan, or the problems for which there is none. A plan with errors among its problems may be shown, not applied. */
export type Planned = {
  readonly desired: DesiredState;
  readonly files: readonly SourceFile[];
  /** The topics of a file by which patterns were judged; undefined without one. */
  readonly topics?: readonly string[] | undefined;
  readonly plan: Plan | undefined;
  /** What is live; undefined where it was not read. */
  readonly live?: LiveState;
  /** The plan without secrets, for reports. */
  readonly shown: ShownPlan | undefined;
  /** How many fields have no known value here, since their variables are not set. */
  readonly cannotTell: number;
  readonly problems: readonly Problem[];
};

/** How planning ended, with what later steps need beside it. */
export type PlanResult = Planned & {
  readonly outcome: Lazy<PlanReport>;
  /** Whether the file was written; undefined if the plan was not to be kept, or could not be applied. */
  readonly isSaved?: boolean;
};

/**
 * Compares what files declare with what is live. Nothing is read from the gateway while the files have errors that no gateway could lift. Throws a
 * RequestError when there is nothing to read.
 */
export async function planProject(
  host: Host,
  opened: Workspace,
  source: LiveSource | NotOpened,
  options: PlanOptions = {},
): Promise<PlanResult> {
  const environment = opened.environment?.name;
  if ('problems' in source) {
    const { problems, result: failed } = source;
    const outcome = makePlanReport(undefined, '', locateProblems(problems), { environment, failed });
    return { ...NOTHING, desired: new Map(), files: [], problems, outcome };
  }
  const base =
    options.base === undefined
      ? undefined
      : await openBaseOf(host, opened, options.base, { gateway: source.url, paths: options.paths ?? [] });
  const workspace = base?.workspace ?? opened;
  try {
    const input = await loadInput(host, workspace, options, { readSources: true });
    const planned = await planInput(host, workspace, source, input, options, base);
    const unread =
      options.prune === true ? applyLint(workspace.catalog.problems, workspace.project.lint) : [];
    const found = [...(options.warnings ?? []), ...unread, ...planned.problems];
    const saved = await saveIfSound(host, workspace, { ...planned, problems: found }, options.saveTo);
    const problems = [...found, ...(saved ?? [])];
    const outcome = makePlanReport(planned.shown, source.url, locateProblems(problems), {
      environment,
      snapshot: source.age && { ...source.age, cannotTell: planned.cannotTell },
    });
    return { ...planned, problems, outcome, ...(saved && { isSaved: saved.length === 0 }) };
  } finally {
    base?.close();
  }
}

const NOTHING = { plan: undefined, shown: undefined, cannotTell: 0 };

/** Keeps a plan without errors in a file. Returns why that failed; undefined if there is nothing to keep. */
async function saveIfSound(
  host: Host,
  workspace: Workspace,
  planned: Planned,
  saveTo: PlanOptions['saveTo'],
): Promise<readonly Problem[] | undefined> {
  const { plan, problems } = planned;
  if (saveTo === undefined || plan === undefined || hasErrors(problems)) return undefined;
  const saved = await savePlan(host, workspace, planned, plan, saveTo);
  return writeFile(saveTo.path, encodePlan(saved), host);
}

/** The same for what was read before. */
export async function planInput(
  host: Host,
  workspace: Workspace,
  source: LiveSource,
  input: Input,
  options: PlanOptions = {},
  found?: NamedBase,
): Promise<Planned> {
  const { value: desired, files } = input;
  const nothing = { ...NOTHING, desired, files };
  const checked = await checkInput(host, workspace, input, options);
  const ofFiles = [...checked.lasting, ...checked.checkedAgain];
  const problems = [...input.problems, ...ofFiles];
  if (hasErrors(problems.filter((one) => !mayBeLive(one, desired)))) return { ...nothing, problems };
  if (found !== undefined && 'problem' in found)
    return { ...nothing, problems: [...problems, found.problem] };
  try {
    if ((options.paths ?? []).length > 0) await learnDeclared(host, workspace);
    const base = found && { ...found.openFor(input), lint: found.lint };
    const former = await base?.readFormer();
    // What is to be pruned is also what no file names.
    if (options.prune === true) await workspace.catalog.ask();
    const live = await source.read(desired);
    host.log.info({ live: live.resources.size }, 'read the gateway');
    const accepted = acceptLive(input.problems, desired, live, workspace.catalog.kinds);
    if (hasErrors(accepted)) return { ...nothing, problems: [...accepted, ...ofFiles] };
    return await planLive(host, workspace, source, input, {
      ...{ options, base, former, live, accepted },
      ...{ topics: checked.topics, lasting: checked.lasting },
    });
  } catch (error) {
    return { ...nothing, problems: [...problems, gatewayProblem(error)] };
  }
}

/** What is wrong with files before the gateway is read: `checkedAgain` is what the plan checks as well. */
async function checkInput(
  host: Host,
  workspace: Workspace,
  input: Input,
  { paths = [], manages, prune, topics: named }: PlanOptions,
): Promise<
  Pick<Planned, 'topics'> & {
    readonly lasting: readonly Problem[];
    readonly checkedAgain: readonly Problem[];
  }
> {
  const { kinds } = workspace.catalog;
  const { value: topics, problems } = await readTopics(host, workspace, named);
  const contradictions = paths.length === 0 ? await checkSameGateway(host, workspace, input) : [];
  const world = {
    ...{ desired: input.value, removals: input.removals, kinds },
    ...{ rules: rulesOf(workspace, manages), today: todayOf(host), prune: prune === true },
  };
  return {
    topics,
    lasting: [...problems, ...contradictions],
    checkedAgain: applyLint(checkFiles(world), workspace.project.lint),
  };
}

/** What a plan is made with, once the files are without errors and the gateway is read. */
type Ready = Pick<Planned, 'topics'> & {
  readonly options: PlanOptions;
  readonly base: (OpenBase & Pick<FoundBase, 'lint'>) | undefined;
  readonly former: Former | undefined;
  readonly live: LiveState;
  /** The problems of the files that the live state leaves, and those of the project. */
  readonly accepted: readonly Problem[];
  readonly lasting: readonly Problem[];
};

async function planLive(
  host: Host,
  workspace: Workspace,
  source: LiveSource,
  input: Input,
  ready: Ready,
): Promise<Planned> {
  const { value: declared, removals, files } = input;
  const { options, base, former, live, accepted, topics, lasting } = ready;
  const { manages, limits, acceptExposure, target = [], exclude = [], failOn = [] } = options;
  const { kinds } = workspace.catalog;
  const { lint } = workspace.project;
  const rules = rulesOf(workspace, manages);
  const today = todayOf(host);
  const planner = plannerOf(workspace, source, ready, {
    ...{ selection: { target, exclude }, today, acceptExposure },
    ...(options.prune === true && rules.manages !== undefined ? { prune: rules.manages } : {}),
    ...(limits === undefined ? {} : { limits }),
  });
  const { value: desired, problems: unset } = planner.adopt(declared);
  const { value: made, problems: found } = planner.plan(desired, { rules, removals, topics });
  const timed = withTimes(made, source);
  const { changes } = timed;
  const listed = await source.listNames(findNeededLists(changes, kinds));
  const unlisted = checkListedValues(changes, listed, kinds, desired);
  const policies = await obeyPolicies(host, workspace, { desired, changes, losses: timed, live });
  const named = options.topics === undefined ? undefined : topics;
  const judge = judgeOf(planner, live, named);
  const explained = await base?.explain({
    ...{ plan: timed, live, manages, today, acceptExposure, judge, topics: named, snapshot: source.path },
    told: [...found, ...policies],
    failOn,
  });
  const asFailed = (problems: readonly Problem[]): readonly Problem[] =>
    failOn.includes('loss') ? problems.map(asFailure) : problems;
  const defaults = source.age === undefined ? [] : (former?.newDefaults() ?? []);
  const ofBase = asFailed([...defaults, ...(explained?.problems ?? [])]).map(unsilenced);
  const baseLint = base?.lint ?? {};
  // A branch does not silence what is told of it, but its base can, by the code that a loss has there.
  const kept = asFailed(applyLint(ofBase, baseLint).map(asTakenOver));
  const judged = [
    ...applyLint([...unset, ...asFailed(found), ...unlisted], lint),
    ...applyLint(kept, onlyErrors({ ...lint, ...onlyErrors(baseLint) })),
  ];
  const problems = [...withoutToldAgain(accepted, unlisted), ...lasting, ...judged, ...policies];
  const plan = explained?.plan ?? timed;
  return {
    ...{ desired, files, topics, live, plan },
    shown: redact(plan, kinds),
    cannotTell: unset.length + (changes.length === 0 ? defaults.length : 0),
    problems: base === undefined ? problems : await base.markKnown(problems, today),
  };
}

/** What `--fail-on loss` makes errors, whatever the project says. */
const FAILING: ReadonlySet<string> = new Set<ProblemCode>([
  'lost-protection',
  'weakened-protection',
  'taken-over-loss',
]);

/** Without a place whose comment would ignore it. */
function unsilenced(problem: Problem): Problem {
  if (ignoreAbove(problem) === undefined) return problem;
  const { at: _, ...rest } = problem;
  return rest;
}

/** A loss that only the rules of the base tell, apart from those that the plan tells by the rules of the branch. */
function asTakenOver(problem: Problem): Problem {
  return isLoss(problem) ? { ...problem, code: 'taken-over-loss' } : problem;
}

function asFailure(problem: Problem): Problem {
  return problem.severity === 'warning' && FAILING.has(problem.code)
    ? { ...problem, severity: 'error' }
    : problem;
}

/** The plan with how long its exposures last at the pace of the gateway. */
function withTimes(plan: Plan, { latencyMs }: LiveSource): Plan {
  if (plan.exposures === undefined) return plan;
  const bounds = boundsFor(undefined, undefined);
  return { ...plan, exposures: timeExposures(plan.exposures, plan.changes, bounds, latencyMs?.()) };
}

/** A base, or why there is none. */
type NamedBase = Awaited<ReturnType<typeof openBase>>;

/** Loaded on demand: few plans have a base. */
const openBaseOf: typeof openBase = async (...args) => {
  const { openBase: open } = await import('../base/open-base.ts');
  return open(...args);
};

/** An unknown class may be a new one; where the gateway has none of that name, one problem is enough. */
function withoutToldAgain(problems: readonly Problem[], stronger: readonly Problem[]): readonly Problem[] {
  if (stronger.length === 0) return problems;
  const keyOf = ({ code, address, path }: Problem): string => JSON.stringify([code, address, path]);
  const told = new Set(stronger.map(keyOf));
  return problems.filter((problem) => !told.has(keyOf(problem)));
}
