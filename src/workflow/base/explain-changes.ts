import { removalsOf } from '../../declare/propose-removals.ts';
import { present } from '../../model/collect.ts';
import { makeProblem, hasErrors, type Problem } from '../../model/problem.ts';
import type { DesiredState, LiveState } from '../../model/state.ts';
import {
  findUnexplained,
  withCauses,
  type BaseChanges,
  type BasesOf,
} from '../../plan/causes/find-causes.ts';
import { checkRuleChanges, checkUndeclared, findUndeclared } from '../../plan/causes/given-up.ts';
import { startHistory } from '../../plan/causes/history.ts';
import { type Cause, type Change, isStep } from '../../plan/change/change.ts';
import type { Plan, PlanBase } from '../../plan/change/plan.ts';
import { planChanges } from '../../plan/make-plan.ts';
import type { Git } from '../host.ts';
import type { Input } from '../project/input.ts';
import { readTopics } from '../project/topics-file.ts';
import type { Workspace } from '../project/workspace.ts';
import { FileError, reasonOf } from '../system-error.ts';
import { ifReadable, MissingObject } from './git-tree.ts';
import { findRuleChanges } from './find-rule-changes.ts';
import { isShallow, shallowCure } from './find-base.ts';
import { filesOf, rulesAt, type Reading } from './load-commit.ts';
import { judgeByBase, type Judge } from './judge-by-base.ts';
import { findTakenOver } from './taken-over.ts';
import { adoptFrom, makeFinder, readAt, walk, type Read } from './walk-history.ts';

/** A plan whose causes are to be found. */
export type PlanToExplain = {
  readonly plan: Plan;
  readonly live: LiveState;
  readonly manages: readonly string[] | undefined;
  readonly today: string;
  readonly acceptExposure: readonly string[] | undefined;
  /** What blocks the plan: what cannot be told of it must not pass. */
  readonly failOn: readonly (Cause | 'loss')[];
  readonly judge: Judge;
  /** The topics that a user names, in place of those of the projects. */
  readonly topics: readonly string[] | undefined;
  /** The file of the snapshot that is in place of the gateway. */
  readonly snapshot: string | undefined;
  /** What the rules of the branch say. */
  readonly told: readonly Problem[];
};

/** The files of the branch. */
export type Branch = { readonly input: Pick<Input, 'value' | 'removals' | 'files' | 'variables'> };

/** A base, and what it is read with. */
type Base = {
  readonly reading: Reading;
  readonly readStart: () => Promise<Read>;
  readonly git: Git;
  readonly base: PlanBase;
  /** The commit that the ref names. */
  readonly tip: string;
};

/** A plan with causes, or without if they cannot be told, which is a problem. */
export type Explained = { readonly plan: Plan; readonly problems: readonly Problem[] };

export async function explainChanges(
  { reading, readStart, git, base, tip }: Base,
  made: PlanToExplain & Branch,
): Promise<Explained> {
  // What is given up is told, too, where no causes can be.
  let given: Explained = { plan: { ...made.plan, base }, problems: [] };
  let untold: PlanToExplain['failOn'] = made.failOn;
  const withProblem = ({ severity, ...problem }: Problem): Explained => ({
    ...given,
    problems: [...given.problems, { ...problem, severity: untold.length > 0 ? 'error' : severity }],
  });
  /** What is at fault at the start is not what the branch could mend, unless it brings itself up to date. */
  const atFault = async (problem: Problem): Promise<Explained> => {
    const isMended = base.behind > 0 && (await isSound(reading, tip, { ...made, ...given }));
    if (!isMended) untold = causesOf(made);
    return withProblem(
      isMended ? { ...problem, hint: `merge ${base.ref} into this branch, or rebase it` } : problem,
    );
  };
  let at = `commit ${base.commit.slice(0, 10)}, the base`;
  try {
    const start = await readStart();
    given = await withGivenUp(given.plan, reading, start, made);
    const unread = [...start.listing.commit.unread].map(([path, why]) =>
      unknown(`what ${at}, has in ${path} is not compared: ${why}`),
    );
    given = { ...given, problems: [...given.problems, ...unread] };
    const atStart = changesAt(reading, start, made);
    const told = [...made.told, ...given.problems];
    const taken = await takenOver(reading, start, atStart, { ...made, told });
    given = { ...given, problems: [...given.problems, ...taken] };
    if (hasErrors(start.declared.problems)) return await atFault(brokenBase(at, start.declared.problems));
    untold = causesOf(made);
    at = base.behind === 0 ? at : `commit ${tip.slice(0, 10)}, the newest of the base`;
    const end = base.behind === 0 ? start : await readAt(reading, tip, start);
    if (hasErrors(end.declared.problems)) return withProblem(brokenBase(at, end.declared.problems));
    const from = { start, tip: end, atStart };
    const explained = await explainFrom(reading, from, { ...made, plan: given.plan });
    given = { ...given, plan: explained.plan };
    return explained.isCutOff ? withProblem(await tooShallow(git)) : given;
  } catch (error) {
    if (error instanceof MissingObject)
      return withProblem(
        unknown(`git does not have all files of ${at}`, `${shallowCure('to know them')}, without --filter`),
      );
    if (error instanceof FileError) return atFault(unknown(`${at} cannot be read: ${reasonOf(error)}`));
    throw error;
  }
}

/** Whether all of a commit can be read that a branch is compared with. */
async function isSound(reading: Reading, id: string, made: PlanToExplain & Branch): Promise<boolean> {
  const look = async (): Promise<boolean> => {
    const read = await readAt(reading, id);
    await withGivenUp(made.plan, reading, read, made);
    return !hasErrors(read.declared.problems);
  };
  return (await ifReadable(look())) === true;
}

/** The plan with what the branch gives up. */
async function withGivenUp(
  plan: Plan,
  { host, workspace }: Pick<Reading, 'host' | 'workspace'>,
  { listing, declared }: Read,
  { input, live, judge, snapshot, told }: Omit<PlanToExplain, 'plan'> & Branch,
): Promise<Explained> {
  const { commit } = listing;
  const before = listing.workspace ?? listing.opened; // without the environment
  if (plan.base === undefined) return { plan, problems: [] };
  const undeclared = findUndeclared(declared, input.value, live.resources, plan);
  const removal = removalsOf(
    undeclared.filter(({ managed }) => managed),
    workspace.catalog,
  );
  // Of a project file with errors nothing is known.
  const ruleChanges = hasErrors(before.problems)
    ? []
    : await findRuleChanges(
        host,
        { workspace, snapshot, ...input },
        { workspace: before, ...declared, commit },
        plan.changes,
      );
  const base: PlanBase = {
    ...plan.base,
    ...present({ lacks: lacksOf(workspace, before) }),
    ...(undeclared.length === 0 ? {} : { undeclared }),
    ...(removal === '' ? {} : { removal }),
    ...(ruleChanges.length === 0 ? {} : { ruleChanges }),
  };
  const forbidden = ruleChanges.some(({ loosens }) => loosens)
    ? await judgeByBase(
        judge,
        { workspace, ...input, told },
        { host: await commit.asHost(), workspace: before, ...declared },
      )
    : [];
  const problems = [...checkRuleChanges(ruleChanges), ...forbidden, ...checkUndeclared(undeclared, plan)];
  return { plan: { ...plan, base }, problems };
}

function lacksOf(workspace: Workspace, before: Workspace): PlanBase['lacks'] {
  if (workspace.project.folder !== undefined && before.project.folder === undefined) return 'project';
  return workspace.environment !== undefined && before.environment === undefined ? 'environment' : undefined;
}

async function explainFrom(
  reading: Reading,
  { start, tip, atStart }: { readonly start: Read; readonly tip: Read; readonly atStart: BaseChanges },
  made: PlanToExplain & Branch,
): Promise<{ readonly plan: Plan; readonly isCutOff: boolean }> {
  const { plan, live, input } = made;
  const { kinds } = reading.workspace.catalog;
  const adopt = adoptFrom(live);
  const value = adopt(tip.declared.value);
  const atTip = tip === start ? atStart : changesAt(reading, tip, made);
  const basesOf: BasesOf = (change) => {
    const [first, last] = [atStart.get(change.address), atTip.get(change.address)];
    return { start: first, tip: last, isMoved: isMoved(change, input.value, start.declared.value) };
  };
  const unexplained = findUnexplained(plan.changes, basesOf, kinds);
  const history = startHistory(value, live, kinds);
  const end =
    unexplained.length === 0
      ? 'complete'
      : await walk({ ...reading, gateway: undefined }, { ...tip, value }, adopt, history.add);
  const find = makeFinder(history, end, value);
  const explained = withCauses(plan.changes, basesOf, kinds, find);
  const isUnclear = unexplained.some((fieldOrObject) => history.find(fieldOrObject, end) === 'unclear');
  return { plan: { ...plan, changes: explained }, isCutOff: isUnclear && end === 'missing' };
}

/** What a commit of the base would change, with the same flags. */
function changesAt(
  { workspace }: Reading,
  { listing, declared: { value, removals, problems } }: Read,
  { plan, live, manages, today }: PlanToExplain,
): BaseChanges {
  if (listing.isElsewhere === true) return new Map();
  const { gateway, selection, prune } = plan;
  const rules = rulesAt(listing, manages);
  const { plan: ofBase } = planChanges(adoptFrom(live)(value), live, workspace.catalog.kinds, {
    ...{ gateway, selection, rules, removals, today },
    ...(prune !== undefined && rules.manages !== undefined ? { prune: rules.manages } : {}),
  });
  // Of files with errors it is not known what they do not declare.
  const isKnown = ({ action }: Change): boolean => action !== 'delete' || !hasErrors(problems);
  const own = ofBase.changes.filter((change) => !isStep(change) && isKnown(change));
  return new Map(own.map((change) => [change.address, change]));
}

async function takenOver(
  reading: Reading,
  { listing }: Read,
  ofBase: BaseChanges,
  { plan, live, input, manages, today, acceptExposure, told, topics }: PlanToExplain & Branch,
): Promise<readonly Problem[]> {
  const { gateway, selection } = plan;
  const { commit, workspace, opened } = listing;
  return findTakenOver(adoptFrom(live)(input.value), live, reading.workspace.catalog.kinds, {
    ...{ gateway, selection, rules: rulesAt(listing, manages), removals: input.removals },
    ...{ today, acceptExposure, ofBase, told, lint: reading.workspace.project.lint },
    topics: topics ?? (await readTopics(await commit.asHost(), workspace ?? opened, undefined)).value,
    ...reading.workspace.secrets.known,
  });
}

/** Whether the branch has what becomes of an object in other files. */
function isMoved(change: Change, own: DesiredState, before: DesiredState): boolean {
  const [is, was] = [own.get(change.address), before.get(change.address)];
  if (is === undefined || was === undefined) return 'removal' in change;
  const [files, earlier] = [filesOf(is), filesOf(was)];
  return files.size !== earlier.size || [...files].some((path) => !earlier.has(path));
}

function brokenBase(at: string, problems: readonly Problem[]): Problem {
  const errors = problems.filter(({ severity }) => severity === 'error');
  // What is in a submodule is not wrong.
  const isWrong = errors.some(({ code }) => code !== 'unreadable-file');
  const hint = isWrong ? 'mend them on the base' : undefined;
  const [first] = errors;
  const more = errors.length > 1 ? `, and ${errors.length - 1} more` : '';
  return unknown(`the files of ${at}, have errors: ${first?.message ?? ''}${more}`, hint);
}

async function tooShallow(git: Git): Promise<Problem> {
  const where = (await isShallow(git)) ? 'this clone is shallow' : 'this clone does not have all objects';
  return unknown(
    `${where}, so some changes may be pending on the base or drift`,
    shallowCure('to tell them apart'),
  );
}

export function causesOf({ failOn }: Pick<PlanToExplain, 'failOn'>): readonly Cause[] {
  return failOn.filter((one) => one !== 'loss');
}

function unknown(message: string, hint?: string): Problem {
  return makeProblem({ code: 'unknown-causes', message, ...(hint === undefined ? {} : { hint }) });
}
