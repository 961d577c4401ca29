import type { Problem } from '../../model/problem.ts';
import { checkExamples } from '../../policy/examples.ts';
import { isBuiltIn } from '../../schema/kinds/policies/built-in.ts';
import type { Host } from '../host.ts';
import { loadPolicies } from '../project/load-policies.ts';
import type { Workspace } from '../project/workspace.ts';
import type { RanCase } from './make-tested.ts';

/** Runs the examples of the policies that a project writes itself, and says which policies cannot be used. */
export async function runExamples(
  host: Host,
  workspace: Workspace,
): Promise<{ readonly cases: readonly RanCase[]; readonly problems: readonly Problem[] }> {
  const loaded = await loadPolicies(host, workspace);
  const own = loaded.value.filter(({ name }) => !isBuiltIn(name));
  const { results, problems } = checkExamples(own, workspace.catalog.kinds);
  const byPlace = new Map(problems.map((problem) => [problem.at, problem]));
  const cases = results.map(({ policy, example, isAsExpected, place }): RanCase => {
    const problem = byPlace.get(place);
    byPlace.delete(place);
    return {
      name: `policy ${policy}: ${example}`,
      at: place,
      environment: undefined,
      result: isAsExpected ? 'passed' : 'failed',
      principals: 0,
      problems: problem === undefined ? [] : [{ ...problem, code: 'failed-expectation' }],
    };
  });
  return { cases, problems: [...loaded.problems, ...byPlace.values()] };
}
