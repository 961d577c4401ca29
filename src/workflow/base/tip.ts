import { join } from 'node:path';
import type { BaseChanges, BasesOf } from '../../plan/causes/find-causes.ts';
import { isStep, type Change } from '../../plan/change/plan.ts';
import type { DesiredState } from '../../model/state.ts';
import type { Host } from '../host.ts';
import { PROJECT_FILE } from '../project/find-project.ts';
import { reasonOf } from '../system-error.ts';
import type { Listing, Reading } from './load-commit.ts';

/** The changes of a branch, and what the branch and its merge base declare. */
type Branch = {
  readonly changes: readonly Change[];
  readonly own: DesiredState;
  readonly atBase: DesiredState;
  readonly listing: Listing;
};

/**
 * The commits that have to make a change for it not to be of this branch. That is the merge base. Of files that the branch has
 * changed it is also the commit that the ref names: what was taken back there since would come again with the branch.
 */
export async function findBases(
  reading: Reading,
  branch: Branch,
  atBase: BaseChanges,
  readTip: () => Promise<BaseChanges>,
): Promise<BasesOf> {
  const isOtherProject = await hasOtherProject(reading, branch.listing);
  const touched = new Set(
    branch.changes
      .filter((change) => !isStep(change) && (isOtherProject || isTouched(change, branch)))
      .map(({ address }) => address)
      .filter((address) => atBase.has(address)),
  );
  if (touched.size === 0) return (address) => [atBase.get(address)];
  const atTip = await readTip();
  return (address) =>
    touched.has(address) ? [atBase.get(address), atTip.get(address)] : [atBase.get(address)];
}

/** Whether the branch has changed a file that says what becomes of an object. */
function isTouched(change: Change, { own, atBase }: Branch): boolean {
  const [is, was] = [own.get(change.address), atBase.get(change.address)];
  if (is === undefined) return 'removal' in change;
  if (was === undefined || is.places !== undefined || was.places !== undefined) return true;
  const [file, before] = [is.document.file, was.document.file];
  return file.path !== before.path || file.text !== before.text;
}

async function hasOtherProject({ host, workspace }: Reading, { commit }: Listing): Promise<boolean> {
  const before = await commit.asHost();
  const [is, was] = await Promise.all([
    readProject(host, workspace.project.root),
    readProject(before, workspace.project.root),
  ]);
  return is !== was;
}

/** The text of the project file; undefined without one. */
async function readProject(host: Host, root: string): Promise<string | undefined> {
  const folder = host.findUpwards(PROJECT_FILE);
  if (folder === undefined) return undefined;
  try {
    return await host.readWithin([root], join(folder, PROJECT_FILE), MOST_BYTES);
  } catch (error) {
    return `unreadable: ${reasonOf(error)}`;
  }
}

const MOST_BYTES = 10_000_000;
