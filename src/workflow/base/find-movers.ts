import { knownKind } from '../../model/kind.ts';
import { hasErrors } from '../../model/problem.ts';
import type { Address, Resource } from '../../model/resource.ts';
import type { DesiredState, LiveState } from '../../model/state.ts';
import { withCauses, type BasesOf } from '../../plan/causes/find-causes.ts';
import { startHistory, type Finding, type FieldOrObject } from '../../plan/causes/history.ts';
import { differingPlaces, overlaps } from '../../plan/causes/places.ts';
import type { Plan } from '../../plan/change/plan.ts';
import { adoptUnsetFields } from '../../plan/diff/unset-fields.ts';
import type { Host } from '../host.ts';
import type { Input } from '../project/input.ts';
import type { Workspace } from '../project/workspace.ts';
import { FileError } from '../system-error.ts';
import { GitTree, MissingObject } from './commit-files.ts';
import { findBase } from './find-base.ts';
import type { Reading } from './load-commit.ts';
import { makeFilledIn, readAt, walk } from './walk-history.ts';

/** A plan of files, perhaps not committed, that is to be told who moved: the files or the gateway. */
type Differing = {
  readonly plan: Plan;
  readonly desired: DesiredState;
  readonly live: LiveState;
  readonly input: Pick<Input, 'variables'>;
  /** The paths that were named, if any. */
  readonly paths: readonly string[];
  /** How the last runs on this gateway left objects; absent where no journal is kept. */
  readonly lastWritten?: (() => Promise<ReadonlyMap<Address, Written>>) | undefined;
};

/** As the last run that wrote an object left it: without a resource if it deleted it. Secrets are not in it. */
export type Written = { readonly resource: Resource | undefined; readonly secrets: readonly string[] };

/** Says who moved a field or an object, as far as it can. */
type Finder = (fieldOrObject: FieldOrObject) => Finding;

/**
 * The plan with causes: what no commit explains was done on the gateway, and the files are the newest version of the history of HEAD.
 * Where git does not tell, the last run that wrote an object does. Without causes where neither does.
 */
export async function findMovers(host: Host, workspace: Workspace, differing: Differing): Promise<Plan> {
  const { plan, lastWritten } = differing;
  const byGit = await openHistory(host, workspace, differing);
  const byRuns =
    lastWritten === undefined ? undefined : findByRuns(workspace, await lastWritten(), differing.live);
  if (byGit === undefined && byRuns === undefined) return plan;
  const find: Finder = (fieldOrObject) => {
    const finding = byGit?.(fieldOrObject) ?? 'unclear';
    return finding === 'unclear' ? (byRuns?.(fieldOrObject) ?? 'unclear') : finding;
  };
  const basesOf: BasesOf = (change) => ({ start: change, tip: change, isMoved: false });
  return { ...plan, changes: withCauses(plan.changes, basesOf, workspace.catalog.kinds, find) };
}

/** Undefined where there is no git, or no commit that can be read. */
async function openHistory(
  host: Host,
  workspace: Workspace,
  differing: Differing,
): Promise<Finder | undefined> {
  const { paths, input } = differing;
  if (paths.includes('-')) return undefined;
  const git = await host.openGit('.');
  try {
    const found = await findBase(git, 'HEAD');
    if ('problem' in found) return undefined;
    const reading: Reading = {
      ...{ host, workspace, paths, variables: input.variables },
      ...{ tree: new GitTree(git), place: found.place, listings: new Map() },
    };
    return await findByCommits(reading, found.commit, differing);
  } catch (error) {
    if (error instanceof MissingObject || error instanceof FileError) return undefined;
    throw error;
  } finally {
    git.close();
  }
}

async function findByCommits(
  reading: Reading,
  commit: string,
  { desired, live }: Differing,
): Promise<Finder | undefined> {
  const adopt = (files: DesiredState): DesiredState => adoptUnsetFields(files, live, () => '').value;
  const head = await readAt(reading, commit);
  if (hasErrors(head.declared.problems)) return undefined;
  const value = adopt(head.declared.value);
  const history = startHistory(desired, live, reading.workspace.catalog.kinds);
  const committed = new Set<string>();
  const add = (older: DesiredState): boolean => {
    for (const address of older.keys()) committed.add(address);
    return history.add(older);
  };
  add(value);
  const end = await walk(reading, { ...head, value }, adopt, add);
  const isFilledIn = makeFilledIn();
  return (fieldOrObject) => {
    const finding = history.find(fieldOrObject, end);
    const { address, path } = fieldOrObject;
    // Files that are in no commit may have been as they are for long.
    if (!committed.has(address)) return 'unclear';
    return finding === 'drift' && path !== undefined && isFilledIn(desired.get(address), path)
      ? 'unclear'
      : finding;
  };
}

/** What is as the last run left it was changed in files, and what is not, on the gateway. */
function findByRuns({ catalog }: Workspace, written: ReadonlyMap<Address, Written>, live: LiveState): Finder {
  return ({ address, place, path }) => {
    const [is, left] = [live.resources.get(address), written.get(address)];
    if (left === undefined) return 'unclear';
    const { resource, secrets } = left;
    if (place === undefined || is === undefined || resource === undefined)
      return (is === undefined) === (resource === undefined) ? 'pending' : 'drift';
    if (path === undefined || secrets.some((one) => isInside(path, one) || isInside(one, path)))
      return 'unclear';
    const kind = knownKind(address, catalog.kinds);
    return differingPlaces(is, resource, kind).some((one) => overlaps(one, place)) ? 'drift' : 'pending';
  };
}

function isInside(path: string, around: string): boolean {
  return `${path}/`.startsWith(`${around}/`);
}
