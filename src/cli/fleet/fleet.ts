import { hasErrors, applyLint } from '../../model/problem.ts';
import { makeFleetReport } from '../../outcome/fleet.ts';
import { describeProblem } from '../../outcome/problem-record.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { isSeveral, selectEnvironments } from '../../workflow/project/select-environments.ts';
import { openProjectFor, wantedEnvironment } from '../connect/read-flags.ts';
import { UsageError } from '../io.ts';
import { perform, type Stage } from '../perform.ts';
import type { Ending } from '../present/finish.ts';
import type { Line } from '../program.ts';
import { gather, refuseOwn, runInEach, withMissed, type Fleet } from './run-in-each.ts';

/** Performs a command in each environment that the command line chooses, side by side; in the only one as if it were named. */
export async function performEach(line: Line, stage: Stage): Promise<Ending | undefined> {
  const { io } = stage;
  const { name } = line;
  if (name === 'apply') {
    const { applyPlanned } = await import('./apply-fleet.ts');
    const applied = await applyPlanned(line, stage);
    if (applied !== undefined) return applied;
  }
  const wanted = wantedEnvironment(line.args, io)?.name ?? '';
  if (!isSeveral(wanted)) return perform(line, stage);
  const base = await openProjectFor(line.args, io);
  const { project } = base;
  if (project.folder === undefined && base.problems.length === 0)
    throw new UsageError(`no gwconf.yaml here or above describes the environments ${wanted}`);
  const found = locateProblems(applyLint(base.problems, project.lint));
  if (hasErrors(found)) {
    const problems = found.map(describeProblem);
    return { view: { report: makeFleetReport(name, [], { problems }), problems: found } };
  }
  const names = selectEnvironments(wanted, [...project.environments.keys()]).filter(
    (one) => !isComparedWithItself(line, one),
  );
  const [only = '', another] = names;
  const { out } = line.args;
  const folder = name === 'plan' && typeof out === 'string' ? out : undefined;
  // A glob that matches one today may match two tomorrow.
  if (another === undefined && folder === undefined)
    return perform({ ...line, args: { ...line.args, env: only } }, stage);
  refuseOwn(line, names.length);
  // Anything else would make a plan, and apply that.
  if (line.args['resume'] !== undefined)
    throw new UsageError(
      'no run of several environments is to be resumed: name the environment of the run with --env',
    );
  const fleet: Fleet = { base, names, problems: found };
  if (name === 'apply') return (await import('./apply-fleet.ts')).planAndApply(line, stage, fleet);
  if (folder !== undefined) return (await import('./save-plans.ts')).savePlans(line, stage, fleet, folder);
  const endings = await runInEach(line, stage, fleet, names);
  return gather(name, endings, stage, withMissed(fleet, line, endings));
}

/** `diff --from one --env '*'` is about the others. */
function isComparedWithItself({ name, args: { from, to = '' } }: Line, environment: string): boolean {
  return name === 'diff' && from === `${String(to)}${environment}`;
}
