import { parse } from 'yaml';

type Values = Readonly<Record<string, unknown>>;
type Step = { readonly uses?: string; readonly run?: string; readonly with?: Values };
type Job = {
  readonly if?: string;
  readonly environment?: unknown;
  readonly env?: Values;
  readonly permissions?: unknown;
  /** Absent if the job is another workflow. */
  readonly steps?: readonly Step[];
};
type Workflow = {
  readonly on: Values;
  readonly env?: Values;
  readonly permissions?: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
};

/** Which rules for workflows with secrets a GitHub Actions workflow breaks, each once; `rights` are what its jobs need beyond the least. */
export function brokenRules(text: string, rights: readonly string[] = []): readonly string[] {
  const workflow = parse(text) as Workflow; // what is missing in it breaks a rule
  const jobs = Object.values(workflow.jobs);
  const steps = jobs.flatMap(({ steps = [] }) => steps);
  const broken: Readonly<Record<string, boolean>> = {
    'actions are pinned by commit, with their version':
      [...text.matchAll(/uses: *(.*)/g)].some(
        ([, uses = '']) =>
          !/^(?:\.\/\.github\/workflows\/[\w-]+\.yaml$|[\w-]+(\/[\w-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$)/.test(
            uses,
          ),
      ) || steps.some(({ uses }) => uses !== undefined && !/@[0-9a-f]{40}$/.test(uses)),
    'permissions are at most to read the contents and write what people read': [workflow, ...jobs].some(
      ({ permissions }) => !isLeast(permissions ?? workflow.permissions, rights),
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
        (job.environment !== undefined ||
          /secrets|github\.token|PLAN_KEY/.test(JSON.stringify([workflow.env, job]))),
    ),
    'credentials are of the steps that need them': [workflow, ...jobs].some(({ env }) =>
      JSON.stringify(env ?? {}).includes('secrets.'),
    ),
    'a plan for a pull request keeps to the rules of its base': jobs.some(
      (job) => runsForPullRequests(workflow, job) && plansWithoutBase(job),
    ),
    // With a - behind the name of an environment, that of prod-eu begins like that of prod.
    'a snapshot of one environment is not restored for another': /restore-keys:.*\}\}-/.test(text),
    'what is installed has a checksum': steps.some(({ run = '' }) =>
      /\bnpm (?:i|install|add)\b|\bnpx (?!--no-install )/.test(run),
    ),
    'nothing is uploaded from where the repository may have put a link': steps.some(
      (step) =>
        step.uses?.startsWith('actions/upload-artifact@') === true &&
        JSON.stringify(step.with).includes('.gwconf'),
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

const LEAST = ['contents:read', 'actions:write', 'issues:write', 'pull-requests:write'];

function isLeast(permissions: unknown, rights: readonly string[]): boolean {
  if (typeof permissions !== 'object' || permissions === null) return false;
  return Object.entries(permissions).every(([what, right]) =>
    [...LEAST, ...rights].includes(`${what}:${String(right)}`),
  );
}

/** The action has an input for it. The base is a branch that is delivered, not one that the pull request may choose. */
function plansWithoutBase({ steps = [] }: Job): boolean {
  const planned = steps.flatMap(({ run = '', with: input = {} }) =>
    /\bgwconf plan\b/.test(run)
      ? [/ --base origin\/\w+(?: |$)/m.test(run)]
      : input['command'] === 'plan'
        ? [/^origin\/\w+$/.test(String(input['base']))]
        : [],
  );
  const hasHistory = steps.some((step) => step.with?.['fetch-depth'] === 0);
  return planned.includes(false) || (planned.length > 0 && !hasHistory);
}

/** Unless its condition leaves pull requests out. */
function runsForPullRequests({ on }: Workflow, { if: condition = '' }: Job): boolean {
  const excludes = /^github\.event_name (!= 'pull_request'|== 'push')( && |$)/.test(condition);
  return (
    ['pull_request', 'merge_group'].some((event) => Object.hasOwn(on, event)) &&
    (!excludes || condition.includes('||'))
  );
}
