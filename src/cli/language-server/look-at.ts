import type { EnvironmentLook, Look } from '../../editor/look.ts';
import { addAll } from '../../model/collect.ts';
import { hasErrors, type Problem } from '../../model/problem.ts';
import { TEST_FILE_ENDING } from '../../model/test-case.ts';
import { POLICY_FILE_ENDING } from '../../model/policy.ts';
import { PROJECT_FILE } from '../../workflow/project/find-project.ts';
import { loadAlone, loadFirst, readFilesOf, type Input } from '../../workflow/project/input.ts';
import { readTests } from '../../workflow/project/load-tests.ts';
import { openEach, openWorkspace } from '../../workflow/project/open-workspace.ts';
import { RequestError } from '../../workflow/system-error.ts';
import { checkEach } from '../../workflow/project/validate.ts';
import { leaveVariablesOpen, type Workspace } from '../../workflow/project/workspace.ts';
import type { Io } from '../io.ts';
import type { Sources } from './sources.ts';
import { hasEnding, isYamlOrJson } from '../../model/text/file-ending.ts';

/**
 * What is wrong with the files that are open whatever the others say, before those are taken apart; undefined if none is open. All are
 * read, so that a look at them follows at once; `onRead` ends once the editor has said which are open.
 */
export async function lookAtOpen(
  io: Io,
  sources: Sources,
  folder: string,
  onRead: () => Promise<void>,
): Promise<Look | undefined> {
  const workspace = await openWorkspace(io, { folder, masker: io.masker });
  if (hasErrors(workspace.problems)) return undefined; // they are all that there is to say
  for (const [, one] of openEach(io, workspace)) await readFilesOf(io, one);
  await onRead();
  if (sources.openPaths.length === 0) return undefined;
  const environments: EnvironmentLook[] = [];
  for (const [name, one] of openEach(io, workspace))
    environments.push({ ...(await loadFirst(io, one, ({ path }) => sources.isOpen(path))), name });
  addAll(environments, lookOutside(workspace, sources, environments));
  const { project, catalog, problems } = workspace;
  return { project, catalog, environments, problems, files: new Map() };
}

/** A look, and what it was made of: an input of each environment, each with its workspace. */
export type Looked = { readonly look: Look; readonly inputs: readonly InputOf[] };
export type InputOf = { readonly name: string; readonly workspace: Workspace; readonly input: Input };

/**
 * Reads the project of a folder, with the texts that are open in place of those on the disk. `onLoaded` is told of each environment
 * before it is compared with the rest.
 */
export async function lookAt(
  io: Io,
  sources: Sources,
  folder: string,
  onLoaded?: (name: string, input: Input) => Promise<void>,
): Promise<Looked> {
  const { masker } = io;
  const workspace = await openWorkspace(io, { folder, masker });
  const environments: EnvironmentLook[] = [];
  const inputs: InputOf[] = [];
  for await (const [name, { workspace: of, input, problems }] of checkEach(io, workspace, {
    onLoaded: async ({ environment }, input) => onLoaded?.(environment?.name ?? '', input),
  })) {
    environments.push({ ...input, name, problems });
    inputs.push({ name, workspace: of, input });
  }
  const { problems: inTests } = await readTestsOf(io, workspace);
  addAll(environments, lookOutside(workspace, sources, environments));
  const { project, catalog } = workspace;
  return {
    look: {
      ...{ project, catalog, environments },
      problems: [...workspace.problems, ...inTests],
      files: sources.takeSeen(),
    },
    inputs,
  };
}

/** What is open and in none of the environments. What others would say of it is not known. */
function lookOutside(
  workspace: Workspace,
  sources: Sources,
  environments: readonly EnvironmentLook[],
): readonly EnvironmentLook[] {
  const known = new Set(environments.flatMap(({ files }) => files.map(({ path }) => sources.pathOf(path))));
  const others = sources.openPaths
    .filter((path) => !known.has(path) && isOfResources(path))
    .flatMap((path) => sources.fileOf(path) ?? []);
  if (others.length === 0) return [];
  const { variables } = leaveVariablesOpen(workspace);
  const paths = others.map(({ path }) => path);
  return [{ ...loadAlone(workspace, { paths, files: others, variables }), name: undefined }];
}

/** Without a project, a folder may be anything, and is not searched. */
async function readTestsOf(io: Io, workspace: Workspace): Promise<{ readonly problems: readonly Problem[] }> {
  if (workspace.project.folder === undefined) return { problems: [] };
  try {
    return await readTests(io, workspace, []);
  } catch (error) {
    if (error instanceof RequestError) return { problems: [] };
    throw error;
  }
}

function isOfResources(path: string): boolean {
  return (
    isYamlOrJson(path) &&
    !hasEnding(path, TEST_FILE_ENDING) &&
    !hasEnding(path, POLICY_FILE_ENDING) &&
    !path.endsWith(PROJECT_FILE)
  );
}
