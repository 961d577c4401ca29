import type { JsonObject } from '../../model/json/json.ts';
import { hasErrors } from '../../model/problem.ts';
import { redactDesired } from '../../plan/secrets/redact.ts';
import { forTerminal } from '../../report/escape.ts';
import { catalog } from '../../schema/kinds/index.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { printYaml } from '../../schema/yaml/print.ts';
import { loadInput } from '../../workflow/project/input.ts';
import { leaveVariablesOpen } from '../../workflow/project/workspace.ts';
import { type InputArgs, filesOf, openWorkspaceFor, type ProjectArgs } from '../connect/flags.ts';
import { UsageError, type Io } from '../io.ts';
import type { ExitCode } from '../../outcome/verdict.ts';
import { finish } from '../present/finish.ts';

export type RenderArgs = ProjectArgs & InputArgs & { readonly output?: readonly string[] };

/** Prints what files declare as it is compared: layers merged, variables and defaults filled in, secrets hidden. */
export async function render(paths: readonly string[], args: RenderArgs, io: Io): Promise<ExitCode> {
  const [format = 'yaml', ...more] = args.output ?? [];
  if (!['yaml', 'json'].includes(format) || more.length > 0)
    throw new UsageError('render prints -o yaml or -o json');
  const workspace = leaveVariablesOpen(await openWorkspaceFor(args, io));
  const input = await loadInput(io, workspace, filesOf(paths, args, workspace, io));
  const problems = locateProblems(input.problems);
  if (hasErrors(problems)) return finish({ result: 'error', problems }, io);
  const resources = redactDesired(input.value, catalog.kinds) as readonly JsonObject[];
  io.out(format === 'yaml' ? printYaml(resources) : forTerminal(`${JSON.stringify(resources, null, 2)}\n`));
  return finish({ result: 'valid', problems }, io);
}
