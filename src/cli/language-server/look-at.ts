import type { EnvironmentLook, Look } from '../../editor/look.ts';
import type { Problem } from '../../model/problem.ts';
import { TEST_FILE_ENDING } from '../../model/test-case.ts';
import { POLICY_FILE_ENDING } from '../../model/policy.ts';
import { PROJECT_FILE } from '../../workflow/project/find-project.ts';
import { readTests } from '../../workflow/project/load-tests.ts';
import { openWorkspace } from '../../workflow/project/open-workspace.ts';
import { RequestError } from '../../workflow/request-error.ts';
import { checkDocuments, checkEach } from '../../workflow/project/validate.ts';
import type { Workspace } from '../../workflow/project/workspace.ts';
import type { Io } from '../io.ts';
import type { Sources } from './sources.ts';

/** A look, with the workspace that it was made of. */
export type Looked = { readonly look: Look; readonly workspace: Workspace };

/** Reads the project of a folder, with the texts that are open in place of those on the disk. */
export async function lookAt(io: Io, sources: Sources, folder: string): Promise<Looked> {
  const { masker } = io;
  const workspace = await openWorkspace(io, { folder, masker });
  const environments: EnvironmentLook[] = [];
  for await (const [name, { input, problems }] of checkEach(io, workspace))
    environments.push({ ...input, name, problems });
  const { problems: inTests } = await readTestsOf(io, workspace);
  const known = new Set(environments.flatMap(({ files }) => files.map(({ path }) => path)));
  const others = sources.openPaths
    .filter((path) => !known.has(path) && isOfResources(path))
    .flatMap((path) => sources.fileOf(path) ?? []);
  if (others.length > 0) {
    const { input, problems } = await checkDocuments(io, workspace, others);
    environments.push({ ...input, name: undefined, problems });
  }
  const { project, catalog } = workspace;
  return {
    look: {
      ...{ project, catalog, environments },
      problems: [...workspace.problems, ...inTests],
      files: sources.takeSeen(),
    },
    workspace,
  };
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
    /\.(?:ya?ml|json)$/i.test(path) &&
    !path.endsWith(TEST_FILE_ENDING) &&
    !path.endsWith(POLICY_FILE_ENDING) &&
    !path.endsWith(PROJECT_FILE)
  );
}
