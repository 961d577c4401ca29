import { join, isAbsolute, normalize } from 'node:path';
import { makeProblem, type Problem } from '../../model/problem.ts';
import { MISNAMED } from '../../schema/load/recognise.ts';
import { parseProject, type Project } from '../../schema/project/project.ts';
import { isOurs } from '../../schema/yaml/ours.ts';
import type { Host } from '../host.ts';
import { KnownKinds } from './known-kinds.ts';
import { reasonOf, unreadable } from '../system-error.ts';

type FoundProject = {
  /** Its folder; undefined without a project file. */
  readonly folder: string | undefined;
  /** The folder that it may name files in: the git work tree, or its own folder if there is none. */
  readonly root: string;
  /** Undefined without a project file, and if it cannot be used. */
  readonly project: Project | undefined;
  readonly problems: readonly Problem[];
};

export const PROJECT_FILE = 'gwconf.yaml';
/** A name that would be taken for it. */
const OTHER_NAME = 'gwconf.yml';
/** No project file is larger. */
const MOST_BYTES = 10_000_000;

/** Finds and reads gwconf.yaml, from a folder upwards; default: from here. */
export async function findProject(
  host: Host,
  catalog: KnownKinds,
  from: string | undefined,
): Promise<FoundProject> {
  const folder = host.findUpwards(PROJECT_FILE, from);
  const place = folder ?? host.findUpwards(OTHER_NAME, from);
  const root = host.findUpwards('.git', place ?? from) ?? place ?? '.';
  const without = (...problems: readonly Problem[]): FoundProject => ({
    folder,
    root,
    project: undefined,
    problems,
  });
  const misnamed = await findMisnamed(host, root, place);
  if (misnamed !== undefined) return without(misnamed);
  if (folder === undefined) return without();
  const path = join(folder, PROJECT_FILE);
  const read = host.isOfAnother(path, from) ? ofAnother(path) : await readProject(host, root, path);
  if ('problem' in read) return without(read.problem);
  const file = { path, text: read.text, named: true };
  const parsed = parseProject(file, catalog.kinds);
  const unread = await learnKinds(host, catalog, { folder, root, project: parsed.value });
  // Its rules can name the kinds that it has just said where to find.
  const { value: project, problems } =
    parsed.value?.kinds === undefined ? parsed : parseProject(file, catalog.kinds);
  return { folder, root, project, problems: [...problems, ...unread] };
}

/** The kinds of the description that gwconf.yaml names. */
async function learnKinds(
  host: Host,
  catalog: KnownKinds,
  { folder = '.', root, project }: Pick<FoundProject, 'folder' | 'root' | 'project'>,
): Promise<readonly Problem[]> {
  const { text: named, at } = project?.kinds ?? {};
  if (named === undefined) return [];
  const path = pathFrom(folder, named);
  const problem = (message: string, hint: string): readonly Problem[] => [
    makeProblem({ code: 'unreadable-file', message, hint, ...(at === undefined ? {} : { at }) }),
  ];
  try {
    const fault = await catalog.learn(await host.readWithin([root], path, MOST_BYTES));
    if (fault === undefined) return [];
    return problem(`${path} ${fault}`, 'write it again: gwconf schema --gateway > FILE');
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return problem(`${path} cannot be read: ${reasonOf(error)}`, 'write it: gwconf schema --gateway > FILE');
  }
}

/** The kinds that files here can have, for commands that need no more of a project. */
export async function findCatalog(host: Host): Promise<KnownKinds> {
  const catalog = new KnownKinds();
  await findProject(host, catalog, undefined);
  return catalog;
}

async function readProject(
  host: Host,
  root: string,
  path: string,
): Promise<{ readonly text: string } | { readonly problem: Problem }> {
  try {
    return { text: await host.readWithin([root], path, MOST_BYTES) };
  } catch (error) {
    return { problem: unreadable(path, error, 'check what it is and its permissions') };
  }
}

function ofAnother(path: string): { readonly problem: Problem } {
  return {
    problem: makeProblem({
      code: 'unreadable-file',
      message: `${path} is not used: it belongs to another user`,
      hint: `put a ${PROJECT_FILE} of your own here; or, if you trust its owner, name a folder of theirs with --chdir`,
    }),
  };
}

/** The problem of a project file that would not be read. Other files of that name belong to other tools. */
async function findMisnamed(
  host: Host,
  root: string,
  folder: string | undefined,
): Promise<Problem | undefined> {
  const path = folder === undefined ? OTHER_NAME : join(folder, OTHER_NAME);
  if (folder === undefined || !host.exists(path)) return undefined;
  const read = await readProject(host, root, path);
  if ('problem' in read) return read.problem;
  const file = { path, text: read.text };
  if (!isOurs(file)) return undefined;
  return { severity: 'error', at: { file, offset: 0 }, ...MISNAMED };
}

/** Whether a path is another one, or lies in it. */
export function isInside(path: string, outer: string): boolean {
  const [inner, folder] = [normalize(path), normalize(`${outer}/`)];
  return folder === './' || `${inner}/` === folder || inner.startsWith(folder);
}

/** A path that a file in `folder` names: relative ones begin there, absolute ones stay what they are. */
export function pathFrom(folder: string, path: string): string {
  return isAbsolute(path) ? path : join(folder, path);
}
