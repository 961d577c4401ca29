import type { Uncompared } from '../../model/field-difference.ts';
import { join } from 'node:path';
import type { Address } from '../../model/resource.ts';
import { makeProblem, hasErrors, type Problem, applyLint } from '../../model/problem.ts';
import { isNarrowed } from '../../plan/change/plan.ts';
import { countKinds } from '../../plan/checks/limits.ts';
import { checkSelection } from '../../plan/checks/name-checks.ts';
import { checkFiles } from '../../plan/checks/world-checks.ts';
import { adoptUnsetFields } from '../../plan/diff/unset-fields.ts';
import { findDrift, isAcceptance, splitDrift, type Compared } from '../../plan/compare/drift.ts';
import { planChanges } from '../../plan/make-plan.ts';
import { makeSecretFinder } from '../../plan/change/former-secrets.ts';
import type { LiveSnapshot } from '../../plan/saved/live-snapshot.ts';
import { redact } from '../../plan/secrets/redact.ts';
import { makeDriftReport, type DriftReport } from '../../outcome/drift.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import type { findMovers, Written } from '../base/find-movers.ts';
import type { Host } from '../host.ts';
import type { LiveSource } from '../live/live-source.ts';
import { checkSameGateway } from '../live/target.ts';
import { type NotOpened, gatewayProblem } from '../live/read-live.ts';
import { loadInput, todayOf, type Input } from '../project/input.ts';
import { leaveVariablesOpen, type Workspace, rulesOf } from '../project/workspace.ts';
import { cureFor } from '../project/variables.ts';
import type { ScopeOptions } from './plan.ts';
import type { LiveState } from '../../model/state.ts';
import { acceptLive, mayBeLive } from './accept-live.ts';

export type DriftOptions = Omit<ScopeOptions, 'prune'> & {
  /** How the last runs on this gateway left objects, which tells who moved where git does not. */
  readonly lastWritten?: () => Promise<ReadonlyMap<Address, Written>>;
  /** What the gateway had before: tells who moved since, in place of git and of runs. */
  readonly since?: LiveSnapshot | undefined;
};

/** What differs from what is declared; `compared` is undefined when the problems left nothing to compare. */
export type DriftResult = FoundDrift & { readonly outcome: DriftReport };
type FoundDrift = { readonly compared?: Compared; readonly problems: readonly Problem[] };

/**
 * Finds what is live and not as declared. Nothing is read from the gateway while the files have errors. Throws a
 * RequestError when there is nothing to read.
 */
export async function detectDrift(
  host: Host,
  workspace: Workspace,
  source: LiveSource | NotOpened,
  options: DriftOptions = {},
): Promise<DriftResult> {
  const { compared, problems: found }: FoundDrift =
    'problems' in source ? source : await lookForDrift(host, workspace, source, options);
  const problems = [...(options.warnings ?? []), ...found];
  const { environment } = workspace;
  const outcome = makeDriftReport(
    compared,
    'url' in source ? source.url : '',
    locateProblems(problems),
    environment?.name,
    options.since?.takenAt,
  );
  return { outcome, problems, ...(compared === undefined ? {} : { compared }) };
}

async function lookForDrift(
  host: Host,
  opened: Workspace,
  source: LiveSource,
  options: DriftOptions,
): Promise<FoundDrift> {
  const workspace = leaveVariablesOpen(opened);
  const input = await loadInput(host, workspace, options, { readSources: true });
  const { value: desired, removals } = input;
  const rules = rulesOf(workspace, options.manages);
  const world = { desired, removals, rules, kinds: workspace.catalog.kinds, today: todayOf(host) };
  const inFiles = [...input.problems, ...applyLint(checkFiles(world), workspace.project.lint)];
  const problems = [...inFiles, ...findFormerFile(host, workspace)];
  if (hasErrors(problems.filter((one) => !mayBeLive(one, desired)))) return { problems };
  const elsewhere = options.since && checkSameGateway(options.since, source.url);
  if (elsewhere !== undefined) return { problems: [...problems, elsewhere] };
  try {
    const { compared, live, found } = await compare(host, workspace, source, input, options);
    const accepted = acceptLive(problems, desired, live, workspace.catalog.kinds);
    if (hasErrors(accepted)) return { problems: accepted };
    return { compared, problems: [...accepted, ...applyLint(found, workspace.project.lint)] };
  } catch (error) {
    return { problems: [...problems, gatewayProblem(error)] };
  }
}

/** Accepted drift had its own file, which is no longer read. */
function findFormerFile({ exists }: Host, { project: { folder } }: Workspace): readonly Problem[] {
  if (folder === undefined || !exists(join(folder, 'accepted-drift.yaml'))) return [];
  const hint = 'move its entries to ignore in gwconf.yaml, with owner and until, and delete the file';
  return [makeProblem({ code: 'unreadable-file', message: 'accepted-drift.yaml is not read', hint })];
}

/** Problems of the plan itself, such as conflicts, do not matter: these changes will not be made. */
async function compare(
  host: Host,
  workspace: Workspace,
  source: LiveSource,
  input: Input,
  { paths = [], target = [], exclude = [], manages, lastWritten, since: snapshot }: DriftOptions,
): Promise<{
  readonly compared: Compared;
  readonly live: LiveState;
  readonly found: readonly Problem[];
}> {
  const { value: declared, removals } = input;
  const live = await source.read(declared);
  const { value: desired, problems: unset } = adoptUnsetFields(declared, live, (name) =>
    cureFor(name, workspace.variables),
  );
  const rules = rulesOf(workspace, manages);
  const { ignore = [] } = rules;
  const selection = { target, exclude };
  const { kinds } = workspace.catalog;
  const { plan: made, world } = planChanges(desired, live, kinds, {
    gateway: source.url,
    selection,
    rules: { ...rules, ignore: ignore.filter((rule) => !isAcceptance(rule)) },
    removals,
    isSecret: makeSecretFinder(workspace.secrets.values),
  });
  const since = snapshot && (await import('../base/find-movers.ts')).formerOf(snapshot, workspace);
  const differing = { plan: made, desired, live, input, paths, lastWritten, since };
  const explained = made.changes.length > 0 ? await findMoversOf(host, workspace, differing) : made;
  const plan = redact(explained, kinds);
  const split = splitDrift(findDrift(plan, since), ignore, {
    today: todayOf(host),
    complete: !isNarrowed(plan) && live.unavailable.size === 0,
  });
  const relied = new Set([...world.desired.keys(), ...removals.map(({ address }) => address)]);
  const unread = countKinds([...relied].filter(world.isSelected));
  const unavailable = [...live.unavailable].map(([kind, words]): Uncompared => ({
    reason: 'unavailable',
    kind,
    words,
    objects: unread[kind] ?? 0,
  }));
  const uncompared = [...unavailable, ...unset.flatMap(uncomparedField)];
  const unmatched = checkSelection({ selection, desired, live, removals, kinds });
  return { compared: { plan, split, uncompared }, live, found: [...split.problems, ...unset, ...unmatched] };
}

/** Loaded on demand: it is for what differs. */
const findMoversOf: typeof findMovers = async (...args) => {
  const { findMovers: find } = await import('../base/find-movers.ts');
  return find(...args);
};

function uncomparedField({ address, path }: Problem): readonly Uncompared[] {
  return address === undefined || path === undefined ? [] : [{ reason: 'cannot-tell', address, path }];
}
