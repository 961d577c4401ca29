import { hasErrors } from '../../model/problem.ts';
import type { DesiredState, LiveState } from '../../model/state.ts';
import { withCauses, type BasesOf } from '../../plan/causes/find-causes.ts';
import { startHistory, type Finding, type Spot } from '../../plan/causes/history.ts';
import type { Plan } from '../../plan/change/plan.ts';
import { adoptUnsetFields } from '../../plan/diff/unset-fields.ts';
import { catalog } from '../../schema/kinds/index.ts';
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
};

/**
 * The plan with causes: the files are the newest version of the history of HEAD, and what no commit explains was done on the
 * gateway. Without causes where there is no git, or no commit with these files.
 */
export async function findMovers(host: Host, workspace: Workspace, differing: Differing): Promise<Plan> {
  const git = await host.openGit('.');
  try {
    const found = await findBase(git, 'HEAD');
    if ('problem' in found) return differing.plan;
    const { paths, input } = differing;
    const reading: Reading = {
      ...{ host, workspace, paths, variables: input.variables },
      ...{ tree: new GitTree(git), place: found.place, listings: new Map() },
    };
    return await findIn(reading, found.commit, differing);
  } catch (error) {
    if (error instanceof MissingObject || error instanceof FileError) return differing.plan;
    throw error;
  } finally {
    git.close();
  }
}

async function findIn(reading: Reading, commit: string, { plan, desired, live }: Differing): Promise<Plan> {
  const adopt = (files: DesiredState): DesiredState => adoptUnsetFields(files, live, () => '').value;
  const head = await readAt(reading, commit);
  if (hasErrors(head.declared.problems)) return plan;
  const value = adopt(head.declared.value);
  const history = startHistory(desired, live, catalog.kinds);
  const committed = new Set<string>();
  const add = (older: DesiredState): boolean => {
    for (const address of older.keys()) committed.add(address);
    return history.add(older);
  };
  add(value);
  const end = await walk(reading, { ...head, value }, adopt, add);
  const isFilledIn = makeFilledIn();
  const find = (spot: Spot): Finding => {
    const finding = history.find(spot, end);
    const { address, path } = spot;
    // Files that are in no commit may have been as they are for long.
    if (!committed.has(address)) return 'unclear';
    return finding === 'drift' && path !== undefined && isFilledIn(desired.get(address), path)
      ? 'unclear'
      : finding;
  };
  const basesOf: BasesOf = (change) => ({ start: change, tip: change, isMoved: false });
  return { ...plan, changes: withCauses(plan.changes, basesOf, catalog.kinds, find) };
}
