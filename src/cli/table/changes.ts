import { FORMATS_OF, type Command } from './command.ts';
import { choiceWithDefault, commaList, list, optional, text, toggle, withDefault } from './flag.ts';
import {
  compared,
  comparing,
  connection,
  detail,
  detailedExitcode,
  environment,
  environments,
  explain,
  globs,
  inputs,
  journal,
  limits,
  planning,
  secretsEnv,
  sources,
  topics,
  writing,
} from './flags.ts';

/** The commands that take files to a gateway, or tell of it. */
export const CHANGES = {
  init: {
    group: 'daily',
    page: 'guides/start.md',
    summary: 'create a project',
    description:
      'Creates gwconf.yaml. Uses the resource files in this folder if there are any. Otherwise writes files for the objects on the gateway, or an example if there are none. Adds a CI workflow and .gitignore, then runs a plan. Never overwrites a file.',
    flags: {
      name: text('<environment>', 'name of the first environment'),
      url: text(
        '<url>',
        'URL of its gateway (GWCONF_URL, CDK_GATEWAY_BASE_URL; default: embedded:practice.json)',
      ),
      folder: text('<folder>', 'folder of its resources (default: gateway)'),
      ...secretsEnv,
      yes: toggle('do not ask questions'),
    },
    gateway: 'read',
    examples: ['gwconf init', 'gwconf init --yes --name prod --url https://gateway.example.com:8888'],
  },
  validate: {
    group: 'daily',
    page: 'guides/change.md',
    summary: 'check files without a gateway',
    description:
      'Checks files without a gateway, of all environments if none is chosen. Reports every problem with its file, line and column, and how to fix it.',
    operand: '[path...]',
    takesSeveral: true,
    flags: {
      ...inputs,
      ...topics,
      failOn: withDefault(
        '<severity>',
        'the lowest severity that makes the command fail: error or warning',
        'error',
      ),
    },
    formats: FORMATS_OF.report,
    examples: ['gwconf validate', 'gwconf validate -f teams/payments --fail-on warning'],
  },
  test: {
    group: 'review',
    page: 'guides/protect.md',
    summary: 'run the tests of *.gwtest.yaml files',
    description:
      'Checks what tests expect of the interceptors that run for clients. Reads the *.gwtest.yaml files that are named, or that are in the folder of gwconf.yaml. Needs no gateway, except for cases with after: plan. Changes nothing.',
    operand: '[path...]',
    takesSeveral: true,
    flags: {
      ...environments,
      ...sources,
      ...connection,
      snapshot: text('<file>', 'for cases about a plan: plan with a snapshot instead of a gateway'),
      watch: toggle('run the tests again when a file changes, until Ctrl-C'),
    },
    formats: FORMATS_OF.report,
    gateway: 'read',
    examples: ['gwconf test', 'gwconf test tests/prod.gwtest.yaml --env prod -o junit=tests.xml'],
  },
  plan: {
    group: 'daily',
    page: 'explained/plan.md',
    summary: 'show the changes that apply would make',
    description:
      'Compares files with the gateway and shows the changes that apply would make. Changes nothing.',
    operand: '[path...]',
    takesSeveral: true,
    flags: comparing,
    formats: FORMATS_OF.plan,
    gateway: 'read',
    examples: [
      'gwconf plan --env prod --out plan.json',
      'gwconf plan --env prod --base origin/main --fail-on drift',
    ],
  },
  diff: {
    group: 'look',
    page: 'reference/diff.md',
    takesSeveral: true,
    summary: 'compare two environments, gateways or snapshots',
    description:
      'Compares two environments, their gateways or snapshots, field by field. Changes nothing. gwconf plan compares files with a gateway.',
    flags: {
      from: text(
        '<source>',
        'an environment (its files), live:ENVIRONMENT (its gateway), or a snapshot file',
      ),
      to: text('<source>', 'what it is compared with'),
      env: commaList(
        'in place of --to, environments that are compared with --from, each: names and globs, with commas; --to live: means their gateways',
      ),
      ...compared,
      ...connection,
      detailedExitcode,
      ...detail,
    },
    formats: FORMATS_OF.plan,
    gateway: 'read',
    examples: [
      'gwconf diff --from staging --to prod',
      'gwconf diff --from live:staging --to live:prod --detailed-exitcode',
    ],
  },
  apply: {
    group: 'daily',
    page: 'explained/apply.md',
    summary: 'apply a saved plan, or files',
    description:
      'Applies a saved plan, or a folder of them (plan --out DIR), without asking for approval. Without a saved plan, plans the files (-f, or those of gwconf.yaml), shows the plan, asks for approval and applies it. Several environments go in the waves of gwconf.yaml.',
    operand: '[plan]',
    takesSeveral: true,
    flags: {
      ...inputs,
      ...planning,
      ...connection,
      ...writing,
      expectCommit: text(
        '<sha>',
        'apply the saved plan only if it was made from this commit (GWCONF_EXPECT_COMMIT)',
      ),
      resume: optional('[run]', 'continue a run that failed or was interrupted; default: the newest'),
      ...detail,
    },
    formats: FORMATS_OF.report,
    gateway: 'write',
    examples: ['gwconf apply plan.json', 'gwconf apply --env dev -f gateway --auto-approve'],
  },
  undo: {
    group: 'back',
    page: 'guides/undo.md',
    summary: 'undo a run',
    description:
      'Plans the changes that undo a run, shows them, asks, and applies them. A run is given by its number or its name, as gwconf journal lists them. Default: the newest run that changed something.',
    operand: '[run]',
    flags: {
      ...environment,
      ...sources,
      ...limits,
      ...topics,
      ...connection,
      ...writing,
      manages: globs('addresses that can be changed; overrides manages in gwconf.yaml'),
      dryRun: toggle('show the changes, and make none; needs no terminal'),
      out: text('<file>', 'as --dry-run, and save the plan for gwconf show FILE'),
      ...detail,
    },
    formats: FORMATS_OF.report,
    gateway: 'write',
    examples: ['gwconf undo', 'gwconf undo 3 --env prod --dry-run'],
  },
  journal: {
    group: 'back',
    page: 'explained/runs.md',
    summary: 'list runs, or show one',
    description:
      'Lists the recorded runs, newest first, or shows the outcome of each change of one run, by its number or name.',
    operand: '[run]',
    flags: {
      env: text('<name>', 'only runs in this environment of gwconf.yaml (GWCONF_ENV)'),
      ...journal,
    },
    formats: FORMATS_OF.page,
    examples: ['gwconf journal 3', 'gwconf journal --journal kept-by-ci --env prod'],
  },
  show: {
    group: 'back',
    page: 'explained/plan.md#saved-plans',
    summary: 'show a saved plan',
    description:
      'Shows a saved plan without contacting the gateway. With -f PATH, checks that the plan was made from those files.',
    operand: '<plan>',
    flags: {
      file: list('<path>', 'check that the plan was made from this file or folder', { short: 'f' }),
      ...explain,
      ...detail,
    },
    formats: FORMATS_OF.plan,
    examples: ['gwconf show plan.json', 'gwconf show plan.json -o json'],
  },
  comment: {
    group: 'review',
    page: 'reference/comment.md',
    summary: 'write reports as comments on the pull request',
    description:
      'Writes saved plans and JSON reports (-o json=FILE) of plan, apply, drift and validate as comments on the pull request of this job: one for each environment, which later runs update. Works on GitHub, GitLab, Bitbucket Cloud and Bitbucket Data Center. Tokens: GITHUB_TOKEN, GITLAB_TOKEN, BITBUCKET_TOKEN, or the same with _FILE.',
    operand: '<file...>',
    flags: {
      env: text('<name>', 'the environment that the report is for; default: the one in the report'),
      name: text('<name>', 'name of the project, if several in a repository comment on a pull request'),
      pullRequest: text(
        '<url>',
        'address of the pull request, or its number in the repository of the job; default: that of the job',
      ),
      apiUrl: text('<url>', 'address of the API of the forge, such as https://github.example/api/v3'),
      whenEmpty: choiceWithDefault(
        '<what>',
        'if there is nothing to do: update the comment that there is, create one all the same, or delete it',
        ['update', 'create', 'delete'],
        'update',
      ),
      together: toggle('one comment for all reports, as of one run for several environments'),
      expect: text(
        '<names>',
        'environments of the reports of --together, with commas between; the comment says which are missing, or are none of these',
      ),
      keepEarlier: toggle('keep what the comment said before, folded, as far as there is room'),
      dryRun: toggle('print the comments, and write nothing'),
      caCert: text(
        '<file>',
        'PEM file of an authority to trust besides the usual ones (GWCONF_CA_CERT, CDK_CACERT)',
      ),
      proxy: text('<url>', 'proxy to the forge (GWCONF_PROXY, HTTPS_PROXY; NO_PROXY lists exceptions)'),
      timeout: text('<duration>', 'time limit of one request (GWCONF_TIMEOUT; default: 60s)'),
    },
    examples: ['gwconf comment plan.json', 'gwconf comment staging.json prod.json --when-empty delete'],
  },
} as const satisfies Readonly<Record<string, Command>>;
