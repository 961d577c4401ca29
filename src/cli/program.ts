import { Command, Option } from 'commander';
import { listCommands } from './command-tree.ts';
import { addGatewayCommands } from './gateway-commands.ts';
import { EXAMPLES, HELP } from './help.ts';
import type { Io } from './io.ts';
import type { ExitCode } from '../outcome/verdict.ts';
import {
  comparing,
  connection,
  environment,
  DETAIL,
  EXPLAIN,
  input,
  JOURNAL,
  globs,
  limiting,
  OUTPUT,
  PLAN_OUTPUT,
  planning,
  repeatable,
  PAGE_OUTPUT,
  selection,
  sources,
  writing,
} from './options.ts';
import { commenting, embedded, exporting, importing, migrating, testing } from './command-options.ts';
import { VERSION } from '../workflow/tool.ts';

/** Every command and option. `end` receives the exit code; each command is loaded when it runs. */
export function makeProgram(io: Io, end: (code: ExitCode) => void): Command {
  // Commander passes the operands, the options and the command; a command of ours gets the world in its place.
  const runs =
    (load: () => Promise<(...args: never[]) => Promise<ExitCode>>) =>
    async (...given: readonly unknown[]): Promise<void> => {
      const options = (given.at(-1) as Command).optsWithGlobals();
      const run = await load();
      end(await run(...([...given.slice(0, -2), options, io] as never[]))); // the parameters that it declares below
    };
  const program = new Command('gwconf')
    .description('Config as code for Conduktor Gateway: plan, review and apply what is written in YAML.')
    .version(`gwconf ${VERSION}`, '-V, --version', 'print the version')
    .option('--chdir <folder>', 'change to this folder first')
    .option('--no-color', 'turn colours off (also NO_COLOR; FORCE_COLOR turns them on without a terminal)')
    .addOption(
      new Option('--log-level <level>', 'write a JSON log to stderr: trace, debug, info, warn or error').env(
        'GWCONF_LOG_LEVEL',
      ),
    )
    .addOption(
      new Option('--max-input <size>', 'most that all files of a run may hold together; default: 256MB').env(
        'GWCONF_MAX_INPUT',
      ),
    )
    .showHelpAfterError('Run gwconf help, or gwconf help COMMAND.')
    .configureHelp({ showGlobalOptions: true, sortSubcommands: false })
    .addHelpText('after', HELP);

  program
    .command('init')
    .summary('create a project')
    .description(
      'Creates gwconf.yaml for the resource files in this folder; without any, for files with the objects of the gateway, or for an example. Adds a CI workflow and .gitignore, then runs a plan. Never overwrites a file.',
    )
    .option('--name <environment>', 'name of the first environment')
    .option(
      '--url <url>',
      'URL of its gateway (GWCONF_URL, CDK_GATEWAY_BASE_URL; default: embedded:practice.json)',
    )
    .option('--folder <folder>', 'folder of its resources (default: gateway)')
    .option('--yes', 'do not ask questions')
    .action(runs(async () => (await import('./commands/init.ts')).init));

  input(program.command('validate [path...]').summary('check files without a gateway'))
    .description(
      'Checks files without a gateway, of all environments if none is chosen. Reports every problem with its file, line and column, and how to fix it.',
    )
    .option(
      '--fail-on <severity>',
      'the lowest severity that makes the command fail: error or warning',
      'error',
    )
    .addOption(OUTPUT)
    .action(runs(async () => (await import('./commands/validate.ts')).validate));

  testing(program.command('test [path...]').summary('run the tests of *.gwtest.yaml files'))
    .description(
      'Checks what tests expect of the interceptors that run for principals. Reads the *.gwtest.yaml files that are named, or that are in the folder of gwconf.yaml. Needs no gateway, except for cases with after: plan. Changes nothing.',
    )
    .action(runs(async () => (await import('./commands/test.ts')).test));

  comparing(program.command('plan [path...]').summary('show the changes that apply would make'))
    .description(
      'Compares files with the gateway and shows the changes that apply would make. Changes nothing.',
    )
    .action(runs(async () => (await import('./commands/plan.ts')).plan));

  comparing(
    program
      .command('diff [path...]')
      .summary('compare two environments; without them, plan')
      .option(
        '--from <source>',
        'an environment (its files), live:ENVIRONMENT (its gateway), or a snapshot file; needs --to',
      )
      .option('--to <source>', 'what it is compared with'),
  )
    .description(
      'With --from and --to, compares two environments, their gateways or snapshots, field by field. Without them, the same as plan. Changes nothing.',
    )
    .action(runs(async () => (await import('./commands/diff.ts')).diff));

  writing(
    connection(planning(input(program.command('apply [plan]').summary('apply a saved plan, or files')))),
  )
    .description(
      'Applies a saved plan without asking; or, with -f PATH, plans, shows the plan, asks, and applies it.',
    )
    .option(
      '--expect-commit <sha>',
      'apply the saved plan only if it was made from this commit (GWCONF_EXPECT_COMMIT)',
    )
    .option('--resume [run]', 'continue a run that failed or was interrupted; default: the newest')
    .addOption(DETAIL)
    .addOption(OUTPUT)
    .action(runs(async () => (await import('./commands/apply.ts')).apply));

  writing(connection(limiting(sources(environment(program.command('undo [run]').summary('undo a run'))))))
    .description(
      'Plans the changes that undo a run, shows them, asks, and applies them. Default: the newest run that changed something. List runs with gwconf journal.',
    )
    .addOption(globs('--manages', 'addresses that can be changed; overrides manages in gwconf.yaml'))
    .addOption(DETAIL)
    .addOption(OUTPUT)
    .action(runs(async () => (await import('./commands/undo.ts')).undo));

  program
    .command('journal [run]')
    .summary('list runs, or show one')
    .description('Lists the recorded runs, newest first, or shows the outcome of each change of one run.')
    .option('--env <name>', 'only runs in this environment of gwconf.yaml (GWCONF_ENV)')
    .addOption(JOURNAL)
    .addOption(PAGE_OUTPUT)
    .action(runs(async () => (await import('./commands/journal.ts')).journal));

  program
    .command('show <plan>')
    .summary('show a saved plan')
    .description(
      'Shows a saved plan without contacting the gateway. With -f PATH, checks that the plan was made from those files.',
    )
    .addOption(repeatable('-f, --file <path>', 'check that the plan was made from this file or folder'))
    .addOption(EXPLAIN)
    .addOption(DETAIL)
    .addOption(PLAN_OUTPUT)
    .action(runs(async () => (await import('./commands/show.ts')).show));

  commenting(program.command('comment <file...>').summary('write reports as comments on the pull request'))
    .description(
      'Writes saved plans and JSON reports (-o json=FILE) of plan, apply, drift and validate as comments on the pull request of this job: one for each environment, which later runs update. Works on GitHub, GitLab, Bitbucket Cloud and Bitbucket Data Center. Tokens: GITHUB_TOKEN, GITLAB_TOKEN, BITBUCKET_TOKEN, or the same with _FILE.',
    )
    .action(runs(async () => (await import('./commands/comment.ts')).comment));

  importing(program.command('import [glob...]').summary('take what is on the gateway into the files'))
    .description(
      'Adds objects of the gateway that no file declares to the files of their neighbours, or with --drift takes its values into the files. Keeps comments and everything else in the files; secrets become variables. Changes nothing on the gateway.',
    )
    .action(runs(async () => (await import('./commands/import.ts')).importCommand));

  connection(
    selection(input(program.command('drift [path...]').summary('show where the gateway differs from files'))),
  )
    .description(
      'Shows where the gateway differs from files, which objects are unclaimed, and what could not be checked. Changes nothing.',
    )
    .option('--detailed-exitcode', 'exit with 2 if there is drift')
    .addOption(OUTPUT)
    .action(runs(async () => (await import('./commands/drift.ts')).drift));

  addGatewayCommands(program, runs);

  exporting(
    program.command('export [glob...]').alias('dump').summary('write the objects of the gateway as files'),
  )
    .description(
      'Writes the objects of the gateway, all or those that match, as files into a new folder; then checks that a plan of these files is empty. Secrets become variables. Changes nothing on the gateway.',
    )
    .action(runs(async () => (await import('./commands/export.ts')).exportFiles));

  migrating(
    program.command('migrate [path...]').summary('write what calls to the removed API v1 made as files'),
  )
    .description(
      'Reads the calls of scripts, Postman collections, .http files, workflows and recordings; without a path, a gateway below 3.21.0. Writes files that declare what they leave on the gateway, and says what became of each call. Nothing is run, and nothing on a gateway changes. With --scan, finds the uses of v1 in files of any language instead.',
    )
    .action(runs(async () => (await import('./commands/migrate.ts')).migrate));

  environment(
    connection(program.command('snapshot').summary('save the state of the gateway, for plans without it')),
  )
    .description(
      'Saves the state of the gateway to a file for gwconf plan --snapshot FILE. Secrets are replaced by salted digests.',
    )
    .requiredOption('--out <file>', 'the file to write')
    .option('--redacted', 'has no effect: snapshots are always redacted')
    .addOption(repeatable('-f, --file <path>', 'files that show which fields come from variables'))
    .action(runs(async () => (await import('./commands/snapshot.ts')).snapshot));

  input(program.command('render [path...]').summary('print resources after layers, variables and defaults'))
    .description(
      'Prints the resources of files as they are compared: layers merged, variables and defaults filled in, secrets hidden.',
    )
    .addOption(repeatable('-o, --output <format>', 'yaml or json'))
    .action(runs(async () => (await import('./commands/render.ts')).render));

  environment(
    connection(program.command('doctor').summary('show settings and their sources, and check the gateway')),
  )
    .description(
      'Shows each setting and where it comes from, and checks the gateway: connection, certificates, credentials and rights, version, security, health, clock and latency, each with what to do. Changes nothing. Secrets are not shown.',
    )
    .option(
      '--deep',
      'instead, plan the state of the gateway against itself and report any change, which is a bug of gwconf',
    )
    .addOption(repeatable('-o, --output <format[=file]>', 'human or json; with --deep, the formats of plan'))
    .action(runs(async () => (await import('./commands/doctor.ts')).doctor));

  program
    .command('keygen')
    .summary('create a key pair that signs saved plans')
    .description(
      'Creates an Ed25519 key pair: the private key in FILE signs saved plans, the public key in FILE.pub verifies them. Never overwrites a file.',
    )
    .requiredOption('--out <file>', 'file of the private key')
    .action(runs(async () => (await import('./commands/keygen.ts')).keygen));

  program
    .command('schema [kind]')
    .summary('print the JSON Schema, for editors')
    .description(
      'Prints the JSON Schema of all kinds, of one kind, of gwconf.yaml (Project) or of test files (Test). Editors use it for completion and checks.',
    )
    .action(async (kind: string | undefined) => end((await import('./commands/schema.ts')).schema(kind, io)));

  embedded(program.command('gateway').summary('run an embedded gateway for practice and tests'))
    .description(
      'Runs an embedded gateway over HTTP until Ctrl-C. It enforces the rules of a real one. To use it without a server: --url embedded:FILE.',
    )
    .action(runs(async () => (await import('./commands/gateway.ts')).gateway));

  program
    .command('fmt [path...]')
    .summary('format files')
    .description(
      'Rewrites files in place with resources and keys in canonical order. Keeps comments, empty lines and meaning. Prints the names of changed files. Without a path, formats the files of gwconf.yaml. Use - to read stdin and write stdout.',
    )
    .addOption(repeatable('-f, --file <path>', 'file, folder (read recursively), or - for stdin'))
    .option('--env <name>', 'the environment in gwconf.yaml (GWCONF_ENV); default: all of them')
    .option('--check', 'write nothing; exit with 1 if a file would change')
    .option('--to <format>', 'yaml: turn JSON files into YAML files')
    .action(runs(async () => (await import('./commands/fmt.ts')).fmt));

  program
    .command('explain [name]')
    .summary('show documentation of a kind, field or problem')
    .description(
      'Shows documentation of a kind, plugin class, field, problem code, or of gwconf.yaml (Project). Without a name, lists what there is.',
    )
    .action(async (name?: string) => end(await (await import('./commands/explain.ts')).explain(name, io)));

  program
    .command('template [name]')
    .summary('print an example resource')
    .description(
      'Prints an example resource: of a kind, an interceptor with a plugin class, a field, or gwconf.yaml (Project). Without a name, lists what there is.',
    )
    .action(async (name?: string) => end((await import('./commands/template.ts')).template(name, io)));

  program
    .command('version')
    .summary('print the version')
    .action(() => io.out(`gwconf ${VERSION}\n`));

  program
    .command('completion <shell>')
    .summary('print a shell completion script')
    .description('Prints the completion script for bash, zsh or fish.')
    .action(async (shell: string) =>
      end((await import('./present/completion.ts')).completion(shell, program, io)),
    );

  for (const { name, command } of listCommands(program)) {
    const lines = EXAMPLES[name]?.map((line) => `  ${line}`) ?? [];
    command.addHelpText('after', ['\nExamples:', ...lines].join('\n'));
  }
  return program;
}
