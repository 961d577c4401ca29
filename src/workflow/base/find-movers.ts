import { type Pointer, anyItem } from '../../model/json/json.ts';
import { knownKind } from '../../model/kind.ts';
import { hasErrors } from '../../model/problem.ts';
import { kindOf, type Address, type Resource } from '../../model/resource.ts';
import type { DesiredState, LiveState } from '../../model/state.ts';
import { withCauses, type BasesOf } from '../../plan/causes/find-causes.ts';
import { startHistory, type Finding, type FieldOrObject } from '../../plan/causes/history.ts';
import { differingPlaces, overlaps } from '../../plan/causes/places.ts';
import type { Plan } from '../../plan/change/plan.ts';
import type { LiveSnapshot } from '../../plan/saved/live-snapshot.ts';
import { restoreSealed, sealedPlaces } from '../../plan/saved/restore-snapshot.ts';
import type { Host } from '../host.ts';
import type { Input } from '../project/input.ts';
import type { Workspace } from '../project/workspace.ts';
import { ifReadable } from './git-tree.ts';
import { findBase } from './find-base.ts';
import { readingOf, type Reading } from './load-commit.ts';
import { adoptFrom, makeFinder, readAt, walk } from './walk-history.ts';

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
  /** What the gateway had before, if a snapshot is to tell in place of git and of runs. */
  readonly since?: Former | undefined;
};

/** How an object was; undefined where that is not known. */
export type Former = (address: Address) => Written | undefined;

/** As the last run that wrote an object left it, or a snapshot has it: without a resource if it was not there. Secrets are not in it. */
export type Written = { readonly resource: Resource | undefined; readonly secrets: readonly Pointer[] };

/** Says who moved a field or an object, as far as it can. */
type Finder = (fieldOrObject: FieldOrObject) => Finding;

/**
 * The plan with causes: what no commit explains was done on the gateway, and the files are the newest version of the history of HEAD.
 * Where git does not tell, and where an object came or went since, the last run that wrote it does. Without causes where neither does. Of a snapshot, `drift` means that
 * the gateway has changed since, and `pending` that it has not.
 */
export async function findMovers(host: Host, workspace: Workspace, differing: Differing): Promise<Plan> {
  const { plan, live, lastWritten, since } = differing;
  const explain = (find: Finder): Plan => {
    const basesOf: BasesOf = (change) => ({ start: change, tip: change, isMoved: false });
    return { ...plan, changes: withCauses(plan.changes, basesOf, workspace.catalog.kinds, find) };
  };
  if (since !== undefined) return explain(findByFormer(workspace, since, live));
  const byGit = await openHistory(host, workspace, differing);
  const written = await lastWritten?.();
  const byRuns = written && findByFormer(workspace, (address) => written.get(address), live);
  if (byGit === undefined && byRuns === undefined) return plan;
  return explain((fieldOrObject) => {
    const [git = 'unclear', runs = 'unclear'] = [byGit?.find(fieldOrObject), byRuns?.(fieldOrObject)];
    // No version had an object before it was declared: commits alone cannot tell that it was made since, and is gone again. Nor
    // do they have what was applied before it was committed.
    const isSettled =
      fieldOrObject.place === undefined
        ? runs === 'drift'
        : runs === 'pending' && byGit?.isEdited(fieldOrObject) === true;
    return git === 'unclear' || isSettled ? runs : git;
  });
}

type Commits = {
  readonly find: Finder;
  /** Whether the files have another value than the newest commit. */
  readonly isEdited: (fieldOrObject: FieldOrObject) => boolean;
};

/** Undefined where there is no git, or no commit that can be read. */
async function openHistory(
  host: Host,
  workspace: Workspace,
  differing: Differing,
): Promise<Commits | undefined> {
  const { paths, input } = differing;
  if (paths.includes('-')) return undefined;
  const git = await host.openGit('.');
  try {
    const found = await findBase(git, 'HEAD');
    if ('problem' in found) return undefined;
    const reading = readingOf(host, git, found, { workspace, paths, gateway: undefined });
    const { variables } = input;
    return await ifReadable(findByCommits({ ...reading, variables }, found.commit, differing));
  } finally {
    git.close();
  }
}

async function findByCommits(
  reading: Reading,
  commit: string,
  { desired, live }: Differing,
): Promise<Commits | undefined> {
  const adopt = adoptFrom(live);
  const head = await readAt(reading, commit);
  if (hasErrors(head.declared.problems)) return undefined;
  const value = adopt(head.declared.value);
  const { kinds } = reading.workspace.catalog;
  const history = startHistory(desired, live, kinds);
  const committed = new Set<string>();
  const add = (older: DesiredState): boolean => {
    for (const address of older.keys()) committed.add(address);
    return history.add(older);
  };
  add(value);
  const end = await walk(reading, { ...head, value }, adopt, add);
  const find = makeFinder(history, end, desired);
  // Files that are in no commit may have been as they are for long.
  return {
    find: (fieldOrObject) => (committed.has(fieldOrObject.address) ? find(fieldOrObject) : 'unclear'),
    isEdited: ({ address, place = [] }) => {
      const [was, is] = [value, desired].map((files) => files.get(address)?.resource);
      if (was === undefined || is === undefined) return false;
      return differingPlaces(was, is, knownKind(address, kinds)).some((one) => overlaps(one, place));
    },
  };
}

/** What a snapshot has of an object; undefined for a kind that the gateway did not serve. */
export function formerOf(snapshot: LiveSnapshot, { catalog }: Workspace): Former {
  const { resources, unavailable } = restoreSealed(snapshot, catalog.kinds).live;
  const secrets = sealedPlaces(snapshot, catalog.kinds);
  return (address) =>
    unavailable.has(kindOf(address))
      ? undefined
      : { resource: resources.get(address), secrets: secrets.get(address) ?? [] };
}

/** What is as it was before has changed in files, and what is not, on the gateway. */
function findByFormer({ catalog }: Workspace, formerly: Former, live: LiveState): Finder {
  return ({ address, place, path }) => {
    const [is, left] = [live.resources.get(address), formerly(address)];
    if (left === undefined) return 'unclear';
    const { resource, secrets } = left;
    if (place === undefined || is === undefined || resource === undefined)
      return (is === undefined) === (resource === undefined) ? 'pending' : 'drift';
    if (path === undefined || secrets.some((one) => isInside(path, one) || isInside(one, path)))
      return 'unclear'; // what is hidden proves nothing
    const kind = knownKind(address, catalog.kinds);
    return differingPlaces(is, resource, kind).some((one) => overlaps(one, place)) ? 'drift' : 'pending';
  };
}

/** At any index: an item of a list may have been at another one. */
function isInside(path: Pointer, around: Pointer): boolean {
  return `${anyItem(path)}/`.startsWith(`${anyItem(around)}/`);
}
