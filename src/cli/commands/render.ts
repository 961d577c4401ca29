import type { JsonObject } from '../../model/json/json.ts';
import { hasErrors } from '../../model/problem.ts';
import { redactDesired } from '../../plan/secrets/redact.ts';
import { forTerminal } from '../../report/escape.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { printYaml } from '../../schema/yaml/print.ts';
import { loadInput } from '../../workflow/project/input.ts';
import { leaveVariablesOpen } from '../../workflow/project/workspace.ts';
import { filesOf } from '../connect/read-flags.ts';
import type { Run } from '../given.ts';
import { printJson } from '../../model/json/json-text.ts';

/** Prints what files declare as it is compared: layers merged, variables and defaults filled in, secrets hidden. */
export const run: Run<'render'> = async ({ operand: paths, args, io, openWorkspace }) => {
  const workspace = leaveVariablesOpen(await openWorkspace(args));
  const input = await loadInput(io, workspace, filesOf(paths, args, workspace, io), { mayBePart: true });
  const problems = locateProblems(input.problems);
  if (hasErrors(problems)) return { result: 'error', problems };
  const resources = redactDesired(input.value, workspace.catalog.kinds) as readonly JsonObject[];
  return {
    result: 'valid',
    problems,
    render: (format) => [
      format === 'yaml' ? printYaml(resources) : forTerminal(`${printJson(resources, 2)}\n`),
    ],
  };
};
