import { type Problem, applyLint } from '../../model/problem.ts';
import type { Host } from '../host.ts';
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
