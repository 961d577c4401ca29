import { canonicalText } from '../../model/json/json.ts';
import type { Policy } from '../../model/policy.ts';
import type { Problem } from '../../model/problem.ts';
import type { Host } from '../host.ts';
import { loadPolicies } from '../project/load-policies.ts';
import type { Workspace } from '../project/workspace.ts';
import type { CommitFiles } from './commit-files.ts';

/** Policies of the base that a branch does not have, or has otherwise: whoever may change files could switch them off. */
export async function comparePolicies(
  host: Host,
  workspace: Workspace,
  base: { readonly commit: CommitFiles; readonly workspace: Workspace },
): Promise<readonly Problem[]> {
  const before = await loadPolicies(await hostOf(host, base.commit), base.workspace);
  const after = await loadPolicies(host, workspace);
  const now = new Map(after.value.map((policy) => [policy.name, policy]));
  return before.value.flatMap((policy): readonly Problem[] => {
    const { name } = policy;
    const kept = now.get(name);
    if (kept === undefined) return [changed(`the policy ${name} of the base is removed`)];
    if (textOf(kept) === textOf(policy)) return [];
    return [{ ...changed(`the policy ${name} is not as on the base`), at: kept.placeOf('') }];
  });
}

/** The policy files of a commit; nothing of the work tree is read. */
async function hostOf(host: Host, commit: CommitFiles): Promise<Host> {
  return {
    ...(await commit.asHost()),
    readSources: async (paths) => {
      const listed = await commit.list(paths);
      return {
        value: await Promise.all(listed.map((file) => commit.read(file, host.maxInputBytes))),
        problems: [],
      };
    },
  };
}

/** Without where it is written. */
function textOf({ placeOf: _, ...policy }: Policy): string {
  return canonicalText(policy);
}

function changed(message: string): Problem {
  const hint = 'have those who are responsible for the policies review it';
  return { code: 'changed-policy', severity: 'warning', message, hint };
}
