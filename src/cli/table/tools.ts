import { FORMATS_OF, type Command } from './command.ts';
import { DETAILS } from '../../report/text/layout.ts';
import { choice, inGroup, list, required, text, toggle, withDefault } from './flag.ts';
import { connection, environment, environments, input } from './flags.ts';

/** The other commands: about files, settings and gwconf itself. */
export const TOOLS = {
  render: {
    group: 'look',
    page: 'reference/project.md#layers-and-variables',
    summary: 'print resources after layers, variables and defaults',
    description:
      'Prints the resources of files as they are compared: layers merged, variables and defaults filled in, secrets hidden.',
    operand: '[path...]',
    flags: input,
    formats: { names: ['yaml', 'json'] },
    examples: ['gwconf render --env prod', 'gwconf render topics.yaml -o json'],
  },
  environments: {
    group: 'look',
    page: 'guides/fleet.md',
    summary: 'list the environments, or those that a branch touches',
    description:
      'Lists the environments of gwconf.yaml, all or those that names and globs choose. With --changed-since, those of which the commits of this branch change a file that they read, or what gwconf.yaml says of them. Build servers make a job for each of a matrix.',
    operand: '[name...]',
    flags: {
      changedSince: text(
        '<ref>',
        'only environments that the commits since this branch or commit touch, such as origin/main',
      ),
    },
    formats: { names: ['human', 'json', 'github-matrix', 'gitlab-matrix'] },
    examples: [
      "gwconf environments 'prod-*'",
      'gwconf environments --changed-since origin/main -o github-matrix',
    ],
  },
  doctor: {
    group: 'look',
    page: 'reference/doctor.md',
    summary: 'show settings and their sources, and check the gateway',
    description:
      'Shows each setting and where it comes from, and checks the gateway: connection, certificates, credentials and rights, version, security, health, clock and latency, each with what to do. Changes nothing. Secrets are not shown.',
    takesSeveral: true,
    flags: {
      ...connection,
      ...environments,
      ...inGroup('Output', {
        detail: choice('<level>', 'full: also the settings that are not set', DETAILS),
      }),
      deep: toggle(
        'instead, plan the state of the gateway against itself and report any change, which is a bug of gwconf',
      ),
    },
    formats: {
      names: ['human', 'json'],
      with: { flag: 'deep', names: FORMATS_OF.report.names },
      help: 'human or json; with --deep, the formats of plan',
    },
    gateway: 'read',
    examples: ['gwconf doctor --env prod', 'gwconf doctor --env prod -o json'],
  },
  keygen: {
    group: 'review',
    page: 'explained/apply.md#signed-plans',
    summary: 'create a key pair that signs saved plans',
    description:
      'Creates an Ed25519 key pair: the private key in FILE signs saved plans, the public key in FILE.pub verifies them. Never overwrites a file.',
    flags: { out: required('<file>', 'file of the private key') },
    examples: ['gwconf keygen --out plan-key.pem', 'gwconf plan --out plan.json --sign-key plan-key.pem'],
  },
  schema: {
    group: 'learn',
    page: 'reference/kinds.md#editor-support',
    summary: 'print the JSON Schema, for editors',
    description:
      'Prints the JSON Schema of all kinds, of one kind, of gwconf.yaml (Project) or of test files (Test). Editors use it for completion and checks. With --gateway, prints what the gateway says of kinds that gwconf does not know, for kinds in gwconf.yaml.',
    operand: '[kind]',
    flags: {
      ...connection,
      ...environment,
      out: text('<file>', 'write the JSON Schema to this file, such as .gwconf/schema.json'),
      gateway: toggle('print the description of kinds that only the gateway knows'),
    },
    gateway: 'read',
    examples: [
      'gwconf schema --out .gwconf/schema.json',
      'gwconf schema --gateway --env prod > gateway-docs.json',
    ],
  },
  controller: {
    group: 'operate',
    page: 'guides/kubernetes.md',
    summary: 'keep gateways as GatewayConfig resources of Kubernetes say',
    description:
      'Runs until it is interrupted: looks at each GatewayConfig of a cluster, plans, and applies as far as its mode says. In a pod, uses its service account; elsewhere, KUBECONFIG. GWCONF_ALLOWED_HOSTS limits the gateways that resources can name. Writes a JSON log to stderr.',
    flags: {
      namespace: list('<name>', 'only resources of this namespace; default: of all'),
      folder: list('<path>', 'a mounted folder that resources can name as their source, or folders in it'),
      journal: text('<folder>', 'folder of journals (default: gwconf-controller in the temporary folder)'),
      parallelism: withDefault('<n>', 'resources looked at side by side', '8'),
      address: withDefault('<host>', 'address that /metrics, /healthz and /readyz are served at', '0.0.0.0'),
      port: withDefault('<port>', 'port of these; 0 picks a free one', '8080'),
    },
    examples: ['gwconf controller --namespace gateways', 'KUBECONFIG=kind.yaml gwconf controller --port 0'],
  },
  gateway: {
    group: 'learn',
    page: 'reference/testing.md',
    summary: 'run an embedded gateway for practice and tests',
    description:
      'Runs an embedded gateway over HTTP until Ctrl-C. It enforces the rules of a real one. To use it without a server: --url embedded:FILE.',
    flags: {
      port: withDefault('<port>', 'port to listen on; 0 picks a free one', '8888'),
      host: withDefault('<host>', 'address to listen on', '127.0.0.1'),
      allowedHost: list(
        '<name>',
        'a name that clients reach it by, besides --host and localhost; others are refused',
      ),
      allowDefaultLogin: toggle('keep the default user and password for a --host that others can reach'),
      state: text('<file>', 'file that keeps the state'),
      kinds: text('<file>', 'description of further kinds that it serves: OpenAPI, as YAML or JSON'),
      user: text('<name>', 'user name for the admin API (default: admin)'),
      passwordFile: text('<file>', 'file with the password (default password: conduktor)'),
      gatewayVersion: text('<version>', 'version to act as; below 3.21.0 it has the v1 API, too'),
      readOnlyUser: text('<name>', 'another user, who cannot write'),
      readOnlyPasswordFile: text('<file>', 'file with the password of that user'),
      security: text(
        '<mode>',
        'how clients log in: GATEWAY_MANAGED (default), KAFKA_MANAGED, PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL, DELEGATED_SASL_PLAINTEXT or DELEGATED_SASL_SSL; decides which accounts and kinds there are',
      ),
      oauth: toggle('clients can log in with OAuth: SASL_PLAINTEXT and SASL_SSL have EXTERNAL accounts'),
      mtls: toggle('clients can log in with certificates: SSL has EXTERNAL accounts'),
      topic: list('<name[:policy]>', 'a Kafka topic and its cleanup.policy; default: every topic exists'),
      physicalCluster: list(
        '<id>',
        'a physical cluster besides main, for alias topics of Partner clusters and gwconf cluster switch',
      ),
    },
    examples: ['gwconf gateway', 'gwconf gateway --port 0 --state practice.json'],
  },
  fmt: {
    group: 'learn',
    summary: 'format files',
    description:
      'Rewrites files in place with resources and keys in canonical order. Puts quotes around text that readers of YAML 1.1 take for something else, such as yes. Keeps comments, empty lines and meaning. Prints the names of changed files. Without a path, formats the files of gwconf.yaml. Use - to read stdin and write stdout.',
    operand: '[path...]',
    flags: {
      file: input.file,
      env: text('<name>', 'the environment in gwconf.yaml (GWCONF_ENV); default: all of them'),
      check: toggle('write nothing; exit with 1 if a file would change'),
      to: text('<format>', 'yaml: turn JSON files into YAML files'),
    },
    examples: ['gwconf fmt', 'gwconf fmt --check -f gateway'],
  },
  explain: {
    group: 'learn',
    summary: 'show documentation of a kind, field or problem',
    description:
      'Shows documentation of a kind, plugin class, field, problem code, or of gwconf.yaml (Project). Without a name, lists what there is.',
    operand: '[name]',
    flags: { recursive: toggle('also fields of fields') },
    examples: ['gwconf explain Interceptor.spec.priority', 'gwconf explain EncryptPlugin --recursive'],
  },
  template: {
    group: 'learn',
    summary: 'print an example resource',
    description:
      'Prints an example resource: of a kind, an interceptor with a plugin class, a field, or gwconf.yaml (Project). Without a name, lists what there is.',
    operand: '[name]',
    examples: ['gwconf template AliasTopic > topics.yaml', 'gwconf template EncryptPlugin'],
  },
  mcp: {
    group: 'learn',
    page: 'guides/agents.md',
    summary: 'serve tools to a coding agent (Model Context Protocol)',
    description:
      'Serves tools to a coding agent over stdin and stdout: validate, plan, drift, effective, get, render, test, explain and template, with the documentation. They change nothing, read only files of this project, run no program and hide secrets. Without --gateway, they ask no gateway.',
    flags: {
      gateway: toggle(
        'let the agent plan against the gateways of GWCONF_ALLOWED_HOSTS, with the credentials of this environment',
      ),
    },
    examples: ['gwconf mcp', 'GWCONF_ALLOWED_HOSTS=gateway.example:8888 gwconf mcp --gateway'],
  },
  'language-server': {
    group: 'learn',
    page: 'guides/editor.md',
    summary: 'serve an editor (Language Server Protocol)',
    description:
      'Serves an editor over stdin and stdout: problems while you type, fixes, completion, hover, definitions, references, rename and formatting. It writes no file, runs no program and calls no gateway.',
    flags: { stdio: toggle('accepted, and without effect: it always uses stdin and stdout') },
    examples: ['gwconf language-server', 'gwconf language-server --chdir infra'],
  },
  version: {
    group: 'other',
    summary: 'print the version',
    description:
      'Prints the version. With -o json also the commit, the kinds and plugin classes that it knows with the API description they were made from, the versions of the gateway that it knows, and that of Node.js. gwconf doctor shows the same.',
    formats: FORMATS_OF.answer,
    examples: ['gwconf version -o json', 'gwconf --version'],
  },
  completion: {
    group: 'other',
    summary: 'print a shell completion script',
    description:
      'Prints the completion script for bash, zsh, fish or powershell. It completes commands, flags, formats, environments, kinds, plugin classes, addresses of files, runs and plans. It runs nothing that files name and calls no gateway.',
    operand: '<shell>',
    examples: ['source <(gwconf completion bash)', 'gwconf completion fish | source'],
  },
} as const satisfies Readonly<Record<string, Command>>;
