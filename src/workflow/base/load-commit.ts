import { join } from 'node:path';
import { present } from '../../model/collect.ts';
import { countValues } from '../../model/json/extent.ts';
import { makeProblem, hasErrors, type Problem } from '../../model/problem.ts';
import type { Address } from '../../model/resource.ts';
import type { Rules } from '../../model/rules.ts';
import type { Declared } from '../../model/state.ts';
import { sourcesIn } from '../../schema/load/load.ts';
import type { Sourced, Variables } from '../../schema/yaml/interpolate.ts';
import type { Git, Host } from '../host.ts';
import { isInStore } from '../project/stores.ts';
import { EXEC } from '../project/variables.ts';
import { PROJECT_FILE, pathFrom } from '../project/find-project.ts';
import { loadFiles, type Input } from '../project/input.ts';
import { openWorkspace } from '../project/open-workspace.ts';
import { FILE, withoutNewline } from '../project/sources.ts';
import { MOST_SECRET_BYTES } from '../project/printed.ts';
import { rulesOf, type Workspace } from '../project/workspace.ts';
import { unreadable } from '../system-error.ts';
import { openCommit, type CommitFiles, type ListedFile, type Listings } from './commit-files.ts';
import { GitTree, MissingObject } from './git-tree.ts';
import { findFormer, type FormerEnvironment } from './former-environments.ts';
import { movesOf, type CommonCommit, type Place as InRepository } from './find-base.ts';
import { isSameSource } from './rule-files.ts';
import { fileOf } from '../../schema/yaml/places.ts';

/** What of the branch commits are read with. */
export type Reading = {
  readonly host: Host;
  readonly tree: GitTree;
  readonly place: InRepository;
  readonly listings: Listings;
  readonly workspace: Workspace;
  /** The URL of the gateway that is compared; undefined where the name of the environment decides, as for older commits. */
  readonly gateway: string | undefined;
  /** The paths that were named, if any. */
  readonly paths: readonly string[];
  /** Those of the branch: files and programs are not read again. */
  readonly variables: Variables;
  /** The folder in which the project was in a tree, from here, if a newer one has moved it; asked where it is in none above. */
  readonly findMoved?: ReturnType<typeof movesOf> | undefined;
};

/** What commits are read with, before the variables of the branch are known. */
export function readingOf(
  host: Host,
  git: Git,
  { place, head }: Pick<CommonCommit, 'place' | 'head'>,
  branch: Pick<Reading, 'workspace' | 'gateway' | 'paths'>,
): Omit<Reading, 'variables'> {
  const isProject = branch.workspace.project.folder !== undefined;
  return {
    ...{ host, place, tree: new GitTree(git, place.root), listings: new Map(), ...branch },
    findMoved: isProject ? movesOf(git, place, head) : undefined,
  };
}

/** The project of a commit. */
type AtCommit = {
  readonly commit: CommitFiles;
  /** The id of its project file, with its path. */
  readonly projectKey: string;
  /** The project as it was; `workspace` is the same in the environment. */
  readonly opened: Workspace;
} & FormerEnvironment;

/** The files of a commit that declare something, before they are read. */
export type Listing = AtCommit & {
  readonly files: readonly ListedFile[];
  /** Equal for commits that declare the same. */
  readonly key: string;
};

/** What a commit declares, and the files of it that were read. */
export type CommitInput = Pick<Input, 'value' | 'removals' | 'files' | 'problems'>;
const NOTHING: CommitInput = { value: new Map(), removals: [], files: [], problems: [] };

/** The project of a commit, in the environment of the branch; that of another commit with the same project file. */
export async function openProjectAt(
  { host, tree, place, listings, workspace: branch, gateway, findMoved }: Omit<Reading, 'variables'>,
  treeId: string,
  known?: AtCommit,
): Promise<AtCommit> {
  const commit = openCommit(host, tree, place, treeId, listings);
  const here = await commit.asHost();
  const above = here.findUpwards(PROJECT_FILE);
  const moved = above === undefined ? await findMoved?.(treeId, known?.commit.tree) : undefined;
  const [folder, commitHost] = moved === undefined ? [above, here] : [moved, await commit.asHost(moved)];
  const [file] = folder === undefined ? [] : await commit.list([join(folder, PROJECT_FILE)]);
  const projectKey = file === undefined ? '' : `${file.path} ${file.id}`;
  if (known?.projectKey === projectKey) return { ...known, commit };
  const opened = await openWorkspaceAt(commitHost, branch, moved);
  const { environment } = branch;
  const { project, problems } = opened;
  if (environment === undefined || project.environments.size === 0)
    return { commit, projectKey, opened, workspace: opened };
  const { workspace, ...about } = findFormer(host, opened, branch, gateway);
  if (workspace !== undefined)
    return { commit, projectKey, opened, workspace: { ...workspace, problems }, ...about };
  // The only one of the base is not the one of the branch.
  return { commit, projectKey, opened: { ...opened, environment: undefined }, workspace, ...about };
}

/** The project of a commit, with the files and variables that the branch may use. */
function openWorkspaceAt(
  commit: Host,
  { project, access, secrets }: Workspace,
  folder?: string,
): Promise<Workspace> {
  return openWorkspace(commit, {
    ...present({ folder }),
    secretRoot: access.secretRoot === project.folder ? undefined : access.secretRoot,
    publicVariables: access.variables.shown,
    masker: secrets.masker,
  });
}

/** Lists the files of a commit. */
export async function listCommit(reading: Reading, treeId: string, known?: AtCommit): Promise<Listing> {
  const { paths } = reading;
  const at = await openProjectAt(reading, treeId, known);
  const { commit, projectKey, workspace } = at;
  // Where no environment had files, those of the branch were read without one.
  const own = workspace?.environment === undefined ? reading.workspace.files : workspace.files;
  const files = workspace === undefined ? [] : await commit.list(paths.length > 0 ? paths : own);
  const key = JSON.stringify([projectKey, files.map(({ path, id, layer }) => [path, id, layer])]);
  return { ...at, files, key };
}

/** What a commit declares. Files that another one has as well can be left out of those to read. */
export async function loadCommit(
  reading: Reading,
  { commit, workspace, files: listed }: Listing,
  isRead: (file: ListedFile) => boolean = () => true,
): Promise<CommitInput> {
  const { host, variables: ofBranch } = reading;
  if (workspace === undefined) return NOTHING;
  if (hasErrors(workspace.problems)) return { ...NOTHING, problems: workspace.problems };
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
      if (error instanceof MissingObject) throw error;
      unread.push(unreadable(one.path, error));
    }
    const tooLarge = workspace.memory.note('file', 'files', bytes, values);
    if (tooLarge !== undefined)
      return { ...NOTHING, problems: [makeProblem({ code: 'unreadable-file', ...tooLarge })] };
  }
  const sources = await readSources(reading, commit, workspace, sourcesIn(files, workspace.catalog));
  return loadFiles(
    workspace,
    { paths: [], files, variables: variablesAt(workspace, ofBranch, sources) },
    unread,
  );
}

/**
 * What a commit has otherwise than the branch may have it: the content of its own files; and of programs that it calls otherwise, or
 * that are other files, and of other encrypted files, nothing, because none is run or decrypted.
 */
async function readSources(
  { host, workspace: ofBranch }: Reading,
  commit: CommitFiles,
  workspace: Workspace,
  names: Iterable<string>,
): Promise<ReadonlyMap<string, Sourced>> {
  const sources = new Map<string, Sourced>();
  for (const name of names) {
    const own =
      isInStore(name) || name.startsWith(EXEC)
        ? (await isSameSource(name, [await commit.asHost(), workspace], [host, ofBranch]))
          ? undefined
          : 'open'
        : await readSource(commit, pathFrom(workspace.access.secretRoot, name.slice(FILE.length)));
    if (own !== undefined) sources.set(name, own);
  }
  return sources;
}

/** The text of a file of a commit; undefined for one that is not in the repository. */
async function readSource(commit: CommitFiles, path: string): Promise<Sourced | undefined> {
  try {
    const [file] = await commit.list([path]);
    if (file === undefined) return undefined;
    return { text: withoutNewline((await commit.read(file, MOST_SECRET_BYTES)).text), isPublic: true };
  } catch (error) {
    if (error instanceof MissingObject) throw error;
    return undefined; // outside of the repository
  }
}

/**
 * The variables of a commit: nothing is read or run for it, and what has no value is left open. So is what only the branch has in git: the
 * commit had what a job has there.
 */
function variablesAt(
  { variables }: Workspace,
  { source, missing }: Variables,
  own: ReadonlyMap<string, Sourced>,
): Variables {
  return {
    ...variables,
    missing: missing === 'withheld' ? missing : 'open',
    source: (name) => {
      const [was, is] = [own.get(name), source(name)];
      if (was === undefined) return is === 'open' || 'fault' in is || is.isPublic === true ? 'open' : is;
      // What the branch may not compare, it does not compare with what the commit has, either: which files are others is told.
      return missing === 'withheld' && is === 'open' ? 'open' : was;
    },
  };
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
  const { value, ...read } = await loadCommit(reading, older, ({ path }) => !kept.has(path));
  const same = [...newer.value].filter(([, { document }]) => kept.has(document.file.path));
  return { ...read, value: new Map([...same, ...value]) };
}

/** The files that have a part in an object. */
export function filesOf({ document, places }: Declared): ReadonlySet<string> {
  const files = [document.file, ...Array.from(places?.values() ?? [], fileOf)];
  return new Set(files.map(({ path }) => path));
}

/** What the project of a commit allows. */
export function rulesAt({ workspace }: Listing, manages: readonly string[] | undefined): Rules {
  return rulesOf(workspace ?? { environment: undefined }, manages);
}
