import { addAll } from '../../model/collect.ts';
import { makeProblem, hasErrors, applyLint, onlyErrors, type Problem } from '../../model/problem.ts';
import { describeProblem } from '../../outcome/problem-record.ts';
import type { EnvironmentsReport } from '../../outcome/files.ts';
import type { Told } from '../../outcome/outcome.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import type { findTouched } from './find-touched.ts';
import type { Host } from '../host.ts';
import { selectEnvironments } from '../project/select-environments.ts';
import type { Workspace } from '../project/workspace.ts';

type ListOptions = {
  /** Names and globs, as `--env` takes them. Default: all. */
  readonly wanted?: string | undefined;
  /** A ref of git: only environments that the commits since then touch. */
  readonly changedSince?: string | undefined;
};

/** Lists the environments of a project. Throws a RequestError for names and globs that choose none. */
export async function listEnvironments(
  host: Host,
  workspace: Workspace,
  { wanted, changedSince: since }: ListOptions = {},
): Promise<Told<EnvironmentsReport>> {
  const { project } = workspace;
  const found: Problem[] = applyLint(workspace.problems, project.lint).slice();
  const names = [...project.environments.keys()];
  const chosen = wanted === undefined || hasErrors(found) ? names : selectEnvironments(wanted, names);
  const touched =
    since === undefined || hasErrors(found) ? undefined : await touchedSince(host, workspace, since);
  if (touched !== undefined && 'problem' in touched) found.push(touched.problem);
  const { changed, gone = [] } = touched !== undefined && 'value' in touched ? touched.value : {};
  // A branch lowers nothing that is told of it.
  addAll(found, applyLint(gone.map(noLonger), onlyErrors(project.lint)));
  const problems = locateProblems(found);
  const isFailed = hasErrors(found);
  const environments = isFailed
    ? []
    : chosen
        .filter((name) => changed === undefined || changed.has(name))
        .map((name) => ({
          environment: name,
          files: project.filesByEnvironment.get(name) ?? [],
          ...(changed === undefined ? {} : { changed: changed.get(name) ?? [] }),
        }));
  return {
    outcome: {
      format: 'gwconf/environments-report@1',
      result: isFailed ? 'error' : 'ok',
      since,
      environments,
      problems: problems.map(describeProblem),
    },
    problems,
  };
}

/** A matrix of jobs has no job that would tell. */
function noLonger(name: string): Problem {
  return makeProblem({
    code: 'no-longer-declared',
    message: `the environment ${name} is no longer in gwconf.yaml: what is on its gateway stays, and nobody manages it any more`,
    hint: 'have those who are responsible for it review that',
  });
}

/** Loaded on demand: few ask git. */
const touchedSince: typeof findTouched = async (...args) =>
  (await import('./find-touched.ts')).findTouched(...args);
