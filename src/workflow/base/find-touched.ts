import { dirname, join, posix } from 'node:path';
import { addAll } from '../../model/collect.ts';
import { sameJson, valueOf, withKey, type Json, type JsonObject } from '../../model/json/json.ts';
import type { Problem } from '../../model/problem.ts';
import type { Catalog } from '../../model/own-kind.ts';
import { sourcesIn } from '../../schema/load/load.ts';
import type { Environment, Project } from '../../schema/project/project.ts';
import type { Git, Host } from '../host.ts';
import { PROJECT_FILE, pathFrom } from '../project/find-project.ts';
import { readTests } from '../project/load-tests.ts';
import type { LocatedProject, Workspace } from '../project/workspace.ts';
import { FileError, reasonOf } from '../system-error.ts';
import type { CommitFiles } from './commit-files.ts';
import { MissingObject } from './git-tree.ts';
import { findBase, noBase, shallowCure, type Place } from './find-base.ts';
import { namesOfGone } from './former-environments.ts';
import { openProjectAt, readingOf } from './load-commit.ts';

/** What a branch changes of what each environment reads, by its name; of the environments that it touches. */
export type Touched = {
  readonly changed: ReadonlyMap<string, readonly string[]>;
  /** The environments that it drops. */
  readonly gone: readonly string[];
};

/**
 * Finds the environments that the commits since a branch began touch: by their layers, the files that these, gwconf.yaml and tests name, and
 * by what gwconf.yaml says of them, or of all. Uncommitted changes are not looked at.
 */
export async function findTouched(
  host: Host,
  workspace: Workspace,
  ref: string,
): Promise<{ readonly value: Touched } | { readonly problem: Problem }> {
  const git = await host.openGit('.');
  try {
    const found = await findBase(git, ref);
    if ('problem' in found) return found;
    const reading = readingOf(host, git, found, { workspace, gateway: undefined, paths: [] });
    const open = async (commit: string): Promise<AtCommit> => {
      const { tree: treeId } = await reading.tree.readCommit(commit);
      const { commit: files, opened } = await openProjectAt(reading, treeId);
      return {
        ...{ files, project: opened.project, sources: new Map(), mostBytes: host.maxInputBytes },
        ...{ catalog: workspace.catalog, tests: await testsIn(await files.asHost(), opened) },
        secretRoot: opened.access.secretRoot,
      };
    };
    const [before, after] = [await open(found.commit), await open(found.head)];
    const attributes = await attributesOf(git, found.place, [found.commit, found.head]);
    const touched = new Map<string, readonly string[]>();
    for (const name of workspace.project.environments.keys()) {
      const changed = [...(await changesOf(name, before, after)), ...attributes];
      if (changed.length > 0) touched.set(name, changed);
    }
    return { value: { changed: touched, gone: namesOfGone(before.project, after.project) } };
  } catch (error) {
    if (error instanceof MissingObject)
      return noBase(`git does not have all commits since ${ref}`, shallowCure('to compare them'));
    if (error instanceof FileError)
      return noBase(`the commits since ${ref} cannot be compared: ${reasonOf(error)}`);
    throw error;
  } finally {
    git.close();
  }
}

/** A commit, with the files that its resources take text from, by the id of the file with these. */
type AtCommit = {
  readonly files: CommitFiles;
  readonly project: LocatedProject;
  readonly sources: Map<string, readonly string[]>;
  readonly mostBytes: number;
  readonly catalog: Catalog;
  /** Where the paths of `${file:PATH}` begin. */
  readonly secretRoot: string;
  /** The files with tests, and those that they name. */
  readonly tests: readonly string[];
};

/** Tests are rules of all environments. */
async function testsIn(host: Host, workspace: Workspace): Promise<readonly string[]> {
  const { value, files } = await readTests(host, workspace, []);
  const named = value.flatMap(({ file, document: { files: own = [] } }) =>
    own.map(({ text }) => pathFrom(dirname(file.path), text)),
  );
  return [...files.map(({ path }) => path), ...named];
}

/** The files of attributes that differ: by these, a checkout has other texts of files that are the same in git. */
async function attributesOf(
  git: Git,
  { prefix }: Place,
  commits: readonly [before: string, after: string],
): Promise<readonly string[]> {
  const differ = ['diff-tree', '-r', '-z', '--name-only', ...commits];
  const { stdout } = await git.run([...differ, '--', ':(top,glob)**/.gitattributes']);
  const paths = new TextDecoder().decode(stdout).split('\0').slice(0, -1);
  return paths.map((path) => posix.relative(prefix, path));
}

/** What differs for an environment between two commits: files, and gwconf.yaml. */
async function changesOf(name: string, before: AtCommit, after: AtCommit): Promise<readonly string[]> {
  const [was, is] = [await readBy(name, before), await readBy(name, after)];
  const paths = [...new Set([...was.keys(), ...is.keys()])].filter((path) => was.get(path) !== is.get(path));
  const own = [before, after].map(({ project }) => saidOf(name, project));
  const isSame = sameJson(own[0] ?? null, own[1] ?? null);
  return [...(isSame ? [] : [join(after.project.folder ?? '.', PROJECT_FILE)]), ...paths.sort()];
}

/** What gwconf.yaml says of an environment, and of all. */
function saidOf(name: string, { written }: Project): Json {
  const said: JsonObject = written?.value ?? {};
  return withKey(said, 'environments', valueOf(valueOf(said, 'environments') ?? null, name) ?? null);
}

/** The files that an environment reads, with what is in them and where in its layers they are. */
async function readBy(
  name: string,
  { files, project, sources, mostBytes, catalog, tests, secretRoot }: AtCommit,
): Promise<ReadonlyMap<string, string>> {
  const { folder = '.', environments, filesByEnvironment, policies, kinds, topics } = project;
  const environment = environments.get(name);
  if (environment === undefined) return new Map();
  const found = new Map<string, string>();
  const listed = await files.list(filesByEnvironment.get(name) ?? []);
  for (const { path, id, layer } of listed) found.set(path, `${id} ${layer ?? 0}`);
  const named = [
    ...policies.files.map(({ path }) => path),
    ...[kinds, environment.topics ?? topics].flatMap((one) => (one === undefined ? [] : [one.text])),
    ...connectionFiles(environment),
    ...Object.values(environment.exec ?? {}).flatMap(({ command }) => command),
  ];
  const taken: string[] = [];
  for (const file of listed) {
    const known = sources.get(file.id) ?? pathsIn(sourcesIn([await files.read(file, mostBytes)], catalog));
    sources.set(file.id, known);
    addAll(taken, known);
  }
  const paths = [
    ...named.map((one) => pathFrom(folder, one)),
    ...taken.map((one) => pathFrom(secretRoot, one)),
  ];
  for (const path of new Set([...paths, ...tests]))
    for (const { path: at, id } of await listOne(files, path)) if (!found.has(at)) found.set(at, id);
  return found;
}

/** Nothing for what lies outside of the repository. */
async function listOne(files: CommitFiles, path: string): ReturnType<CommitFiles['list']> {
  try {
    return await files.list([path]);
  } catch (error) {
    if (error instanceof FileError) return [];
    throw error;
  }
}

function connectionFiles({ gateway = {} }: Environment): readonly string[] {
  const { ca, cert, key } = gateway;
  return [ca, cert, key].flatMap((one) => (one === undefined || one.hasVariables ? [] : [one.text]));
}

/** The files that `${file:PATH}` and `${sops:PATH#KEY}` name. */
function pathsIn(names: ReadonlySet<string>): readonly string[] {
  return [...names].flatMap((name) => /^(?:file:(.*)|sops:([^#]*)#.*)$/s.exec(name)?.slice(1).join('') ?? []);
}
