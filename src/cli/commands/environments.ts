import { printJson } from '../../model/json/json-text.ts';
import { forTerminal } from '../../report/escape.ts';
import { listEnvironments } from '../../workflow/base/list-environments.ts';
import { openProjectFor } from '../connect/read-flags.ts';
import type { Run } from '../given.ts';
import { UsageError } from '../io.ts';
import { formatsOf } from '../present/output.ts';

/** Lists the environments of gwconf.yaml, for people, and for build servers that run a job for each. */
export const run: Run<'environments'> = async ({ operand: names, args, io }) => {
  const { changedSince } = args;
  if (changedSince?.trim() === '')
    throw new UsageError("expected --changed-since to be a ref of git, such as origin/main; found ''");
  const wanted = names.length === 0 ? undefined : names.join(',');
  const workspace = await openProjectFor({}, io);
  if (workspace.project.folder === undefined && workspace.problems.length === 0)
    throw new UsageError('there is no gwconf.yaml here or above: make a project with gwconf init');
  const { outcome, problems } = await listEnvironments(io, workspace, { wanted, changedSince });
  const { result } = outcome;
  const found = outcome.environments.map(({ environment }) => environment);
  return {
    result,
    problems,
    render: (format, options) => {
      if (format === 'human' || format === 'json')
        return formatsOf({ report: outcome, problems }, io)(format, options);
      return result === 'ok' ? [forTerminal(MATRICES[format](found))] : [];
    },
  };
};

/** How build servers are told to run a job for each. */
const MATRICES = {
  /** One line, as an output of a step takes it. */
  'github-matrix': (environment: readonly string[]) => `${printJson({ environment })}\n`,
  /** For a child pipeline, whose jobs extend it. GitLab refuses an empty list, and fills in `$NAME` in values of variables. */
  'gitlab-matrix': (names: readonly string[]) =>
    `${printJson(
      {
        '.environments':
          names.length === 0
            ? { rules: [{ when: 'never' }] }
            : { parallel: { matrix: [{ GWCONF_ENV: names.map((name) => name.replaceAll('$', '$$$$')) }] } },
      },
      2,
    )}\n`,
} as const;
