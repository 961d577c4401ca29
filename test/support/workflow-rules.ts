import { parse } from 'yaml';

type Values = Readonly<Record<string, unknown>>;
type Step = { readonly uses?: string; readonly run?: string; readonly with?: Values };
type Job = {
  readonly if?: string;
  readonly env?: Values;
  readonly permissions?: unknown;
  readonly steps: readonly Step[];
};
type Workflow = {
  readonly on: Values;
  readonly env?: Values;
  readonly permissions?: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
};

/** Which rules for workflows with secrets a GitHub Actions workflow breaks, each once. */
export function brokenRules(text: string): readonly string[] {
  const workflow = parse(text) as Workflow; // what is missing in it breaks a rule
  const jobs = Object.values(workflow.jobs);
  const steps = jobs.flatMap((job) => job.steps);
  const broken: Readonly<Record<string, boolean>> = {
    'actions are pinned by commit, with their version':
      [...text.matchAll(/uses: *(.*)/g)].some(
        ([, uses = '']) => !/^[\w-]+(\/[\w-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(uses),
      ) || steps.some(({ uses }) => uses !== undefined && !/@[0-9a-f]{40}$/.test(uses)),
    'permissions are at most to read the contents': [workflow, ...jobs].some(
      ({ permissions }) => !isLeast(permissions ?? workflow.permissions),
    ),
    'a checkout leaves no credentials': steps.some(
      (step) =>
        step.uses?.startsWith('actions/checkout@') === true && step.with?.['persist-credentials'] !== false,
    ),
    'no event runs with the secrets of the base': Object.keys(workflow.on).some((event) =>
      ['pull_request_target', 'workflow_run', 'issue_comment'].includes(event),
    ),
    'no expression is in a script': steps.some(({ run }) => run?.includes('${{') === true),
    'a pull request gets no secret, key or environment': jobs.some(
      (job) =>
        runsForPullRequests(workflow, job) &&
        /secrets|github\.token|PLAN_KEY|"environment"/.test(JSON.stringify([workflow.env, job])),
    ),
    'who has secrets says where they may go': jobs.some(
      (job) =>
        JSON.stringify([workflow.env, job]).includes('secrets.') &&
        !['GWCONF_ALLOWED_HOSTS', 'GWCONF_ALLOWED_VARIABLES'].every(
          (name) => typeof job.env?.[name] === 'string',
        ),
    ),
  };
  return Object.keys(broken).filter((rule) => broken[rule] === true);
}

function isLeast(permissions: unknown): boolean {
  return ['{}', '{"contents":"read"}'].includes(JSON.stringify(permissions));
}

/** Unless its condition leaves pull requests out. */
function runsForPullRequests({ on }: Workflow, { if: condition = '' }: Job): boolean {
  const excludes = /^github\.event_name (!= 'pull_request'|== 'push')( && |$)/.test(condition);
  return Object.hasOwn(on, 'pull_request') && (!excludes || condition.includes('||'));
}
