import type { Problem } from '../../model/problem.ts';
import { judge } from '../../model/severity.ts';
import { checkWorld } from '../../plan/checks/checks.ts';
import { catalog } from '../../schema/kinds/index.ts';
import type { Host } from '../host.ts';
import { loadInput, todayOf, type InputOptions } from './input.ts';
import type { OpenProject } from './project.ts';

/** Finds every mistake that can be found without a gateway. Throws a RequestError when there is nothing to read. */
export async function validateProject(
  host: Host,
  project: OpenProject,
  options: InputOptions = {},
): Promise<{ readonly resources: number; readonly problems: readonly Problem[] }> {
  const { value: desired, declared, removals, problems } = await loadInput(host, project, options);
  const { environment: rules = {}, lint } = project;
  const found = checkWorld({
    desired,
    declared,
    removals,
    rules,
    kinds: catalog.kinds,
    today: todayOf(host),
  });
  return { resources: declared.size, problems: [...problems, ...judge(found, lint)] };
}
