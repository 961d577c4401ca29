import type { JsonObject } from '../../model/json/json.ts';
import { hasErrors } from '../../model/problem.ts';
import { redactDesired } from '../../plan/secrets/redact.ts';
import { forTerminal } from '../../report/escape.ts';
import { renderProblems } from '../../report/text/problems-text.ts';
import { catalog } from '../../schema/kinds/index.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { printYaml } from '../../schema/yaml/print.ts';
import { loadInput, type InputArgs } from '../input.ts';
import { EXIT, UsageError, type ExitCode, type Io } from '../io.ts';
import { conclude } from '../present/output.ts';
import { openProject, type ProjectArgs } from '../project.ts';

export type RenderArgs = ProjectArgs & InputArgs & { readonly output?: readonly string[] };

/** Prints what files ask for, as it will be compared: layers merged, variables and defaults filled in, secrets as marks. */
export async function render(paths: readonly string[], args: RenderArgs, io: Io): Promise<ExitCode> {
  const [format = 'yaml', ...more] = args.output ?? [];
  if (!['yaml', 'json'].includes(format) || more.length > 0)
    throw new UsageError('render prints -o yaml or -o json');
  const desired = await loadInput(paths, args, await openProject(args, io), io);
  const problems = locateProblems(desired.problems);
  io.err(renderProblems(problems, io.errPaint));
  const resources = redactDesired(desired.value, catalog.kinds) as readonly JsonObject[];
  const failed = hasErrors(problems);
  if (!failed)
    io.out(format === 'yaml' ? printYaml(resources) : forTerminal(`${JSON.stringify(resources, null, 2)}\n`));
  await conclude(failed ? 'error' : 'valid', io);
  return failed ? EXIT.failed : EXIT.ok;
}
