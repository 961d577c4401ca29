// Two tables say which folder may import which, and which file is the one door to a package.
const mayImport = {
  model: [],
  schema: ['model'],
  effective: ['model'],
  policy: ['model'],
  plan: ['model', 'effective'],
  declare: ['model', 'schema', 'plan'],
  gateway: ['model'],
  doctor: ['model', 'gateway'],
  apply: ['model', 'plan', 'gateway'],
  outcome: ['model', 'effective', 'plan', 'apply'],
  report: ['model', 'effective', 'plan', 'apply', 'outcome'],
  emulator: ['model', 'schema', 'effective', 'gateway'],
  forge: ['model', 'gateway'],
  workflow: [
    'model',
    'schema',
    'effective',
    'policy',
    'plan',
    'declare',
    'gateway',
    'doctor',
    'apply',
    'emulator',
    'forge',
    'outcome',
  ],
  v1: ['model', 'schema', 'plan', 'declare', 'gateway', 'emulator', 'outcome', 'workflow'],
  controller: ['model', 'plan', 'schema', 'apply', 'workflow'],
  host: ['model', 'apply', 'workflow'],
  cli: [
    'model',
    'schema',
    'effective',
    'plan',
    'declare',
    'gateway',
    'doctor',
    'apply',
    'outcome',
    'report',
    'emulator',
    'forge',
    'workflow',
    'v1',
    'controller',
    'host',
  ],
};

const doors = {
  yaml: ['src/schema/yaml/', 'src/schema/fmt/key-order.ts', 'src/declare/edit/'],
  unbash: 'src/v1/read/shell/',
  'age-encryption': 'src/workflow/project/sops.ts',
  diff: 'src/cli/present/line-diff.ts',
  ajv: ['src/schema/validate.ts', 'src/schema/load-ajv.ts', 'src/model/compile-shape.ts'],
  typebox: [
    'src/model/shape.ts',
    'src/model/compile-shape.ts',
    'src/plan/shapes.ts',
    'src/outcome/shapes/',
    'src/controller/resource-shape.ts',
  ],
  'fastest-levenshtein': 'src/model/text/suggest.ts',
  'get-east-asian-width': 'src/report/text/table.ts',
  'json-diff-ts': 'src/plan/diff/diff.ts',
  'lossless-json': 'src/model/json/json-text.ts',
  '@bufbuild/cel': 'src/policy/cel/',
  '@bufbuild/re2': 'src/policy/cel/',
  undici: [
    'src/gateway/http/client.ts',
    'src/forge/fetch.ts',
    'src/controller/kube.ts',
    'src/controller/artifact.ts',
  ],
  '@kubernetes/client-node': 'src/controller/kube.ts',
  'prom-client': 'src/controller/metrics.ts',
  'modern-tar': 'src/controller/artifact.ts',
  '@octokit/request': 'src/forge/rest.ts',
  '@modelcontextprotocol/sdk': 'src/cli/mcp/serve.ts',
  commander: 'src/cli/',
  picocolors: 'src/cli/',
  pino: 'src/cli/host/log.ts',
  http: ['src/emulator/server.ts', 'src/controller/endpoints.ts'],
  tls: ['src/gateway/http/examine.ts', 'src/forge/fetch.ts'],
  ignore: 'src/host/git-ignore.ts',
  fs: [
    'src/cli/host/compiled.ts',
    'src/host/files.ts',
    'src/host/folders.ts',
    'src/host/paths.ts',
    'src/host/write-files.ts',
  ],
  child_process: ['src/host/git.ts', 'src/host/programs.ts'],
  crypto: [
    'src/workflow/project/sops.ts',
    'src/schema/validate.ts',
    'src/plan/saved/digest.ts',
    'src/plan/saved/signature.ts',
    'src/host/git-ignore.ts',
    'src/host/node-host.ts',
    'src/host/write-files.ts',
    'src/emulator/server.ts',
    'src/emulator/signer.ts',
    'src/controller/artifact.ts',
  ],
};

/** Files with shapes of what gwconf writes for programs. */
const SHAPES = [
  '^src/model/(compile-)?shape.ts$',
  '^src/plan/shapes.ts$',
  '^src/plan/saved/.*-shape.ts$',
  '^src/outcome/shapes/',
  '^src/controller/(resource-shape|crd).ts$',
];

const folder = (name) => `^src/${name}/`;
const list = (value) => [value].flat();

const folderRules = Object.entries(mayImport).map(([from, to]) => ({
  name: `${from}-may-import`,
  comment: `${from} may import ${to.length === 0 ? 'nothing' : to.join(', ')}; the table in ARCHITECTURE.md says why`,
  severity: 'error',
  from: { path: folder(from) },
  to: { path: '^src/', pathNot: [from, ...to].map(folder) },
}));

const doorRules = Object.entries(doors).map(([pkg, door]) => ({
  name: `one-door-to-${pkg}`,
  comment: `${pkg} is used through ${list(door).join(', ')}; its types stay behind that door`,
  severity: 'error',
  from: { path: '^src/', pathNot: list(door).map((path) => `^${path}`) },
  // Built-ins appear without their prefix, packages by their folder.
  to: { path: [`^(node:)?${pkg}(/|$)`, `node_modules/${pkg}/`] },
}));

export default {
  forbidden: [
    ...folderRules,
    ...doorRules,
    {
      name: 'shapes-are-for-the-build',
      comment:
        'a shape is published and compiled by the build; elsewhere only its type is imported, so that no run loads TypeBox',
      severity: 'error',
      from: { path: '^src/', pathNot: [...SHAPES, '^src/(plan/saved/saved-checks|outcome/checks).ts$'] },
      to: { path: SHAPES, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'nothing-imports-the-facade',
      comment:
        'src/index.ts and src/testing.ts are for programs that use gwconf; our own files import each other',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^src/(index|testing).ts$' },
    },
    {
      name: 'v1-has-one-door',
      comment: 'src/v1 can be deleted when nobody needs it: the rest calls src/v1/door.ts, which loads it',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/v1/' },
      to: { path: '^src/v1/', pathNot: '^src/v1/door.ts$' },
    },
    {
      name: 'nothing-imports-the-cli',
      comment: 'the command line is the outermost shell',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/cli/' },
      to: { path: '^src/cli/' },
    },
    {
      name: 'only-the-port-outside-gateway',
      comment: 'apply and the embedded gateway know the ports, not HTTP',
      severity: 'error',
      from: { path: '^src/(apply|emulator)/' },
      to: { path: '^src/gateway/', pathNot: '^src/gateway/(gateway|operations).ts$' },
    },
    {
      name: 'a-format-prints-the-view',
      comment:
        'what there is to show is worked out in src/outcome and report/page; formats do not know each other',
      severity: 'error',
      from: { path: '^src/report/(page|text|json|ci|markdown|html|read)/' },
      to: { path: '^src/report/(text|json|ci|markdown|html|read|formats)', pathNot: '^src/report/$1/' },
    },
    {
      name: 'the-cli-calls-the-workflow',
      comment:
        'a command reads flags, calls src/workflow and presents what it returns; any other program can do the same',
      severity: 'error',
      from: { path: '^src/cli/' },
      to: {
        path: [
          '^src/schema/load/load.ts$',
          '^src/plan/(make-plan.ts$|(order|diff|undo|drift)/)',
          '^src/gateway/(http/|read-live.ts$)',
          '^src/apply/(apply|run|attempt|change)',
          '^src/apply/verify/',
          '^src/forge/(fetch|rest|retry|open-forge|github|gitlab|bitbucket-cloud|bitbucket-server).ts$',
        ],
      },
    },
    {
      name: 'only-one-command-serves-the-embedded-gateway',
      comment: 'other commands get it from src/workflow as they get any gateway',
      severity: 'error',
      from: { path: '^src/cli/', pathNot: '^src/cli/commands/gateway.ts$' },
      to: { path: '^src/emulator/' },
    },
    {
      name: 'no-cycles-between-folders',
      comment: 'two folders that need each other are one folder, or three',
      scope: 'folder',
      severity: 'error',
      from: { path: '^src/' },
      to: { circular: true },
    },
    {
      name: 'no-cycles',
      comment: 'two files that need each other are one file, or three',
      severity: 'error',
      from: { path: '^src/' },
      to: { circular: true },
    },
    {
      name: 'no-orphans',
      comment: 'nobody imports this file',
      severity: 'error',
      from: { orphan: true, path: '^src/', pathNot: '^src/(index|cli/main)\\.ts$|\\.d\\.ts$' },
      to: {},
    },
    {
      name: 'src-never-imports-test',
      comment: 'the program does not know its tests',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(test|scripts)/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
