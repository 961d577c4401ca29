import { type Problem, applyLint } from '../../model/problem.ts';
import type { DesiredState } from '../../model/state.ts';
import { load, sourcesIn } from '../../schema/load/load.ts';
import type { Sourced } from '../../schema/yaml/interpolate.ts';
import type { Host } from '../host.ts';
import { contextOf, type Input } from './input.ts';
import { FILE, resolveSources } from './sources.ts';
import { hasPolicies, type Workspace } from './workspace.ts';
import type { checkProject, Judged } from './check-project.ts';

/** What the policies of a project say. Where there are none, nothing is loaded. */
export async function obeyPolicies(
  host: Host,
  workspace: Workspace,
  judged: Judged,
): Promise<readonly Problem[]> {
  if (!hasPolicies(workspace.project)) return [];
  const { checkProject: check }: { readonly checkProject: typeof checkProject } =
    await import('./check-project.ts');
  return applyLint(await check(host, workspace, judged), workspace.project.lint);
}

/**
 * What files declare as policies see it: with the content of files that git has as they are, also where sources are left open. It is no
 * secret, and a policy that waits for delivery to read it lets a branch pass.
 */
export async function readForPolicies(
  host: Host,
  workspace: Workspace,
  { value, files, variables }: Input,
): Promise<DesiredState> {
  if (variables.missing === 'fault' || !hasPolicies(workspace.project)) return value;
  const names = [...sourcesIn(files, workspace.catalog)].filter((name) => name.startsWith(FILE));
  if (names.length === 0) return value;
  const { value: read } = await resolveSources(host, workspace, names);
  const source = (name: string): Sourced => {
    const found = name.startsWith(FILE) ? read.source(name) : 'open';
    return found !== 'open' && 'text' in found && found.isPublic ? found : variables.source(name);
  };
  return load(files, workspace.catalog, { ...variables, source }, contextOf(workspace)).value;
}
