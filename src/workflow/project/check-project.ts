import type { Problem } from '../../model/problem.ts';
import { checkPolicies } from '../../policy/check-policies.ts';
import { makePolicyCompiler } from '../../policy/compile.ts';
import type { PolicyEnvironment } from '../../policy/subjects.ts';
import { checkExamples } from '../../policy/examples.ts';
import { catalog } from '../../schema/kinds/index.ts';
import type { Host } from '../host.ts';
import { todayOf } from './input.ts';
import type { Workspace } from './workspace.ts';
import { loadPolicies } from './load-policies.ts';
import { changeSubjects, objectSubjects, principalSubjects, type Judged } from './policy-subjects.ts';

export type { Judged } from './policy-subjects.ts';

/** What the policies of a project say of objects, changes and clients, and which policies cannot be used. */
export async function checkProject(
  host: Host,
  workspace: Workspace,
  judged: Judged,
): Promise<readonly Problem[]> {
  const loaded = await loadPolicies(host, workspace);
  const compiler = makePolicyCompiler();
  const { policies, problems } = checkExamples(loaded.value, catalog.kinds, compiler);
  const run = {
    policies,
    bind: compiler.bind,
    environment: environmentOf(host, workspace),
    kinds: catalog.kinds,
  };
  const live = policies.some(({ subject }) => subject === 'principal')
    ? await judged.readLive?.()
    : undefined;
  const found = checkPolicies(run, {
    objects: objectSubjects(judged),
    changes: changeSubjects(judged),
    principals: live === undefined ? [] : principalSubjects(judged, live, workspace),
  });
  // A policy words its message; no secret is among its variables, and none leaves.
  const hidden = found.map((problem) => ({
    ...problem,
    message: workspace.secrets.masker.mask(problem.message),
  }));
  return [...loaded.problems, ...problems, ...hidden];
}

function environmentOf(host: Host, { environment }: Workspace): PolicyEnvironment {
  return {
    name: environment?.name ?? '',
    day: todayOf(host),
    version: environment?.version,
    security: environment?.security,
    maxTokenSeconds: environment?.token?.maxLifetime?.seconds,
  };
}
