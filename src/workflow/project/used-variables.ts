import { fillGateway } from '../../schema/project/project.ts';
import type { Variables } from '../../schema/yaml/interpolate.ts';
import type { Host } from '../host.ts';
import { loadInput } from './input.ts';
import type { Workspace } from './workspace.ts';

/** An environment variable that a job has to have. */
export type UsedVariable = { readonly name: string; readonly isPublic: boolean };

/** The environment variables that files, and the connection of the environment, are filled from. What is wrong with them is no matter here. */
export async function findUsedVariables(
  host: Host,
  workspace: Workspace,
  paths: readonly string[],
): Promise<readonly UsedVariable[]> {
  const { environment, files, variables } = workspace;
  const names = new Set<string>();
  const noting: Variables = {
    ...variables,
    missing: 'open',
    refuse: (name) => {
      names.add(name);
      return undefined;
    },
  };
  if (environment !== undefined) fillGateway(environment, noting);
  if (paths.length + files.length > 0)
    await loadInput(
      host,
      { ...workspace, variables: noting },
      { paths, allowEmpty: true, allowMissing: true },
      { mayBePart: true },
    );
  return [...names].sort().map((name) => ({ name, isPublic: variables.isPublic(name) }));
}
