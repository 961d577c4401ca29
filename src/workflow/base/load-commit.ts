import { join } from 'node:path';
import { hasErrors, type Problem } from '../../model/problem.ts';
import { countValues } from '../../model/json/extent.ts';
import type { Declared } from '../../model/state.ts';
import type { Address } from '../../model/resource.ts';
import type { Variables } from '../../schema/yaml/interpolate.ts';
import type { Host } from '../host.ts';
import { PROJECT_FILE } from '../project/find-project.ts';
import { loadFiles, type Input } from '../project/input.ts';
import { openProject } from '../project/open-project.ts';
import type { OpenProject } from '../project/project.ts';
import { RequestError } from '../request-error.ts';
import { openCommit, unreadableAt, type CommitFiles, type ListedFile } from './commit-files.ts';
import type { Place } from './find-base.ts';
import type { GitTree } from './git-tree.ts';

/** What of the branch commits are read with. */
export type Reading = {
  readonly host: Host;
  readonly tree: GitTree;
  readonly place: Place;
  readonly project: OpenProject;
  /** The paths that were named, if any. */
  readonly paths: readonly string[];
  /** Those of the branch: files and programs are not read again. */
  readonly variables: Variables;
};

/** The files of a commit that declare something, before they are read. */
export type Listing = {
  readonly commit: CommitFiles;
  /** The id of its project file, with its path. */
  readonly projectKey: string;
  /** The project as it was; undefined where it did not have the environment. */
  readonly project: OpenProject | undefined;
  readonly files: readonly ListedFile[];
  /** Equal for commits that declare the same. */
  readonly key: string;
};

export type CommitInput = Pick<Input, 'value' | 'removals' | 'problems'>;
const NOTHING: CommitInput = { value: new Map(), removals: [], problems: [] };

/** Lists the files of a commit; a listing of another one with the same project file has its project. */
export async function listCommit(reading: Reading, treeId: string, known?: Listing): Promise<Listing> {
  const { host, tree, place, paths } = reading;
  const commit = openCommit(host, tree, place, treeId);
  const commitHost = await commit.asHost();
  const folder = commitHost.findUpwards(PROJECT_FILE);
  const [file] = folder === undefined ? [] : await commit.list([join(folder, PROJECT_FILE)]);
  const projectKey = file === undefined ? '' : `${file.path} ${file.id}`;
  const project = known?.projectKey === projectKey ? known.project : await openAt(reading, commitHost);
  const files = project === undefined ? [] : await commit.list(paths.length > 0 ? paths : project.files);
  const key = JSON.stringify([projectKey, files.map(({ path, id, layer }) => [path, id, layer])]);
  return { commit, projectKey, project, files, key };
}

async function openAt({ project }: Reading, host: Host): Promise<OpenProject | undefined> {
  try {
    return await openProject(host, {
      environment: project.environment?.name,
      secretRoot: project.secretRoot,
      publicVariables: project.variableRule.shown,
      masker: project.masker,
    });
  } catch (error) {
    if (error instanceof RequestError) return undefined;
    throw error;
  }
}

/** What a commit declares. Files that another one has as well can be left out of those to read. */
export async function loadCommit(
  { host, variables: ofBranch }: Reading,
  { commit, project, files: listed }: Listing,
  isRead: (file: ListedFile) => boolean = () => true,
): Promise<CommitInput> {
  if (project === undefined) return NOTHING;
  if (hasErrors(project.problems)) return { ...NOTHING, problems: project.problems };
  const files = [];
  const unread: Problem[] = [];
  let bytes = 0;
  let values = 0;
  for (const one of listed.filter(isRead)) {
    try {
      const file = await commit.read(one, host.maxInputBytes);
      files.push(file);
      bytes += file.text.length;
      values += countValues(new TextEncoder().encode(file.text));
    } catch (error) {
      unread.push(unreadableAt(one.path, error));
    }
    const tooLarge = project.memory.note('file', 'files', bytes, values);
    if (tooLarge !== undefined)
      return { ...NOTHING, problems: [{ code: 'unreadable-file', severity: 'error', ...tooLarge }] };
  }
  return loadFiles(project, { paths: [], files, variables: variablesAt(project, ofBranch) }, unread);
}

/** The variables of a commit: nothing is read or run for it, and what has no value is left open. */
function variablesAt({ variables }: OpenProject, { source, withholds = false }: Variables): Variables {
  const valueOf: Variables = (name) => variables(name);
  return Object.assign(valueOf, variables, {
    leavesOpen: true,
    withholds,
    source: (name: string) => {
      const found = source?.(name) ?? 'open';
      return typeof found === 'object' && 'fault' in found ? 'open' : found;
    },
  } satisfies Partial<Variables>);
}

/** What an older commit declares, where only the files that differ from a newer one are read. */
export async function loadOlder(
  reading: Reading,
  older: Listing,
  newer: { readonly listing: Listing; readonly value: ReadonlyMap<Address, Declared> },
): Promise<CommitInput> {
  const all = [...older.files, ...newer.listing.files];
  const isLayered = all.some(({ layer }) => layer !== 0);
  if (isLayered || older.projectKey !== newer.listing.projectKey) return loadCommit(reading, older);
  const idOf = new Map(newer.listing.files.map(({ path, id }) => [path, id]));
  const kept = new Set(older.files.filter(({ path, id }) => idOf.get(path) === id).map(({ path }) => path));
  const { value, removals, problems } = await loadCommit(reading, older, ({ path }) => !kept.has(path));
  const same = [...newer.value].filter(([, { document }]) => kept.has(document.file.path));
  return { value: new Map([...same, ...value]), removals, problems };
}
