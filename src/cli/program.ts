import { Command, Option } from 'commander';
import type { ApplyArgs } from './commands/apply.ts';
import type { DriftArgs } from './commands/drift.ts';
import type { FmtArgs } from './commands/fmt.ts';
import type { DoctorArgs } from './commands/doctor.ts';
import type { GatewayArgs } from './commands/gateway.ts';
import type { InitArgs } from './commands/init.ts';
import type { ListArgs } from './commands/journal.ts';
import type { PlanArgs } from './commands/plan.ts';
import type { RenderArgs } from './commands/render.ts';
import type { SelftestArgs } from './commands/selftest.ts';
import type { ShowArgs } from './commands/show.ts';
import type { SnapshotArgs } from './commands/snapshot.ts';
import type { UndoArgs } from './commands/undo.ts';
import type { ValidateArgs } from './commands/validate.ts';
import type { ExitCode, Io } from './io.ts';
import {
  connection,
  explainOption,
  input,
  journalOption,
  limiting,
  outputOption,
  planning,
  repeatable,
  selection,
  sources,
  writing,
} from './options.ts';
import { VERSION } from './version.ts';

/** Every command and option. `end` is told the exit code; each command is loaded when it is called for. */
export function makeProgram(io: Io, end: (code: ExitCode) => void): Command {
  const program = new Command('gwconf')
    .description('Config as code for Conduktor Gateway: plan, review and apply what is written in YAML.')
    .version(`gwconf ${VERSION}`, '-V, --version', 'print the version')
    .option('--chdir <folder>', 'work in this folder')
    .option('--no-color', 'no colours, also with NO_COLOR set')
    .addOption(
      new Option('--log-level <level>', 'JSON log on stderr: trace, debug, info, warn or error').env(
        'GWCONF_LOG_LEVEL',
      ),
    )
    .showHelpAfterError('(gwconf help, or gwconf help COMMAND, tells more)')
    .configureHelp({ showGlobalOptions: true, sortSubcommands: false })
    .addHelpText('after', HELP);

  input(
    program.command('validate [path...]').summary('find every mistake that can be found without a gateway'),
  )
    .description(
      'Finds every mistake that can be found without a gateway, each at its file:line:column with the cure.',
    )
    .option('--fail-on <severity>', 'exit 1 from this severity on: error or warning', 'error')
    .addOption(outputOption())
    .action(async (paths: string[], args: ValidateArgs) =>
      end(await (await import('./commands/validate.ts')).validate(paths, args, io)),
    );

  connection(
    planning(
      input(program.command('plan [path...]').alias('diff').summary('compare files with the gateway')),
    ),
  )
    .description('Compares files with the gateway, field by field, and changes neither.')
    .option(
      '--out <file>',
      'save the plan for gwconf apply FILE, without secrets; signed where GWCONF_PLAN_KEY is set',
    )
    .option(
      '--snapshot <file>',
      'compare with a snapshot in place of the gateway: no network, no credentials',
    )
    .option('--detailed-exitcode', 'exit 2 when there are changes')
    .addOption(explainOption())
    .addOption(outputOption())
    .action(async (paths: string[], _: PlanArgs, command: Command) =>
      end(await (await import('./commands/plan.ts')).plan(paths, command.optsWithGlobals<PlanArgs>(), io)),
    );

  writing(
    connection(
      planning(
        input(program.command('apply [plan]').summary('make the changes of a saved plan, or of files')),
      ),
    ),
  )
    .description(
      'Makes the changes of a saved plan, no question asked; or with -f PATH plans, shows, asks and makes them.',
    )
    .option('--resume [run]', 'go on with a run that did not end well; without a name, the newest')
    .addOption(outputOption())
    .action(async (plan: string | undefined, _: ApplyArgs, command: Command) =>
      end(await (await import('./commands/apply.ts')).apply(plan, command.optsWithGlobals<ApplyArgs>(), io)),
    );

  writing(
    connection(
      limiting(
        sources(
          program
            .command('undo [run]')
            .summary('take a run back')
            .option(
              '--env <name>',
              'the environment of gwconf.yaml (GWCONF_ENV); the only one is the default',
            ),
        ),
      ),
    ),
  )
    .description(
      'Shows what takes a run back, asks, and does it: the newest run that changed something, or the one that is named (gwconf journal lists them).',
    )
    .addOption(outputOption())
    .action(async (run: string | undefined, _: UndoArgs, command: Command) =>
      end(await (await import('./commands/undo.ts')).undo(run, command.optsWithGlobals<UndoArgs>(), io)),
    );

  program
    .command('journal [run]')
    .summary('list runs, or show what was done in one')
    .description(
      'Lists the runs that have a journal, newest first; or shows what is known of each change of one.',
    )
    .option('--env <name>', 'the environment of gwconf.yaml (GWCONF_ENV)')
    .addOption(journalOption())
    .addOption(repeatable('-o, --output <format>', 'human or json'))
    .action(async (run: string | undefined, args: ListArgs) =>
      end(await (await import('./commands/journal.ts')).journal(run, args, io)),
    );

  program
    .command('show <plan>')
    .summary('render a saved plan, offline')
    .description(
      'Renders a saved plan; no gateway is asked. With -f PATH it says whether the plan was made of that.',
    )
    .addOption(repeatable('-f, --file <path>', 'what the plan should have been made of'))
    .addOption(explainOption())
    .addOption(outputOption())
    .action(async (plan: string, args: ShowArgs) =>
      end(await (await import('./commands/show.ts')).show(plan, args, io)),
    );

  connection(
    selection(input(program.command('drift [path...]').summary('tell what is live and not as declared'))),
  )
    .description(
      'Tells what is on the gateway and not as declared, what is unclaimed, and what could not be checked. It cannot change anything.',
    )
    .option(
      '--accepted <file>',
      'drift that somebody answers for (default: accepted-drift.yaml beside gwconf.yaml)',
    )
    .option('--detailed-exitcode', 'exit 2 when there is drift')
    .addOption(outputOption())
    .action(async (paths: string[], args: DriftArgs) =>
      end(await (await import('./commands/drift.ts')).drift(paths, args, io)),
    );

  connection(program.command('snapshot').summary('write down what is live, for plans without a gateway'))
    .description(
      'Writes down what is live, for gwconf plan --snapshot FILE: secrets only as marks and salted, slow digests.',
    )
    .requiredOption('--out <file>', 'where to write it')
    .option('--redacted', 'a snapshot always is; says so to who reads the command')
    .addOption(repeatable('-f, --file <path>', 'files that know which fields variables fill in'))
    .option('--env <name>', 'the environment of gwconf.yaml (GWCONF_ENV); the only one is the default')
    .action(async (args: SnapshotArgs) =>
      end(await (await import('./commands/snapshot.ts')).snapshot(args, io)),
    );

  connection(program.command('selftest').summary('compare what is live with itself, which must find nothing'))
    .description(
      'Takes what is live as if files had declared it, and plans: a difference is a mistake of gwconf. Counts what only looks different. Changes nothing.',
    )
    .option('--env <name>', 'the environment of gwconf.yaml (GWCONF_ENV); the only one is the default')
    .addOption(outputOption())
    .action(async (args: SelftestArgs) =>
      end(await (await import('./commands/selftest.ts')).selftest(args, io)),
    );

  input(program.command('render [path...]').summary('print what files ask for, as it is compared'))
    .description(
      'Prints what files ask for: layers merged, variables and defaults filled in, secrets as marks.',
    )
    .addOption(repeatable('-o, --output <format>', 'yaml or json'))
    .action(async (paths: string[], args: RenderArgs) =>
      end(await (await import('./commands/render.ts')).render(paths, args, io)),
    );

  connection(
    program.command('doctor').summary('print each setting and where it came from, and try the gateway'),
  )
    .description(
      'Prints each setting and where it came from, never a secret, and whether the gateway answers.',
    )
    .option('--env <name>', 'the environment of gwconf.yaml (GWCONF_ENV)')
    .action(async (args: DoctorArgs) => end(await (await import('./commands/doctor.ts')).doctor(args, io)));

  program
    .command('init')
    .summary('write gwconf.yaml, a first folder and a CI file, and plan')
    .description(
      'Asks little, writes gwconf.yaml, a first folder and a CI file, and runs a plan. Overwrites nothing.',
    )
    .option('--name <environment>', 'the first environment')
    .option('--url <url>', 'its gateway')
    .option('--folder <folder>', 'where its resources are')
    .option('--yes', 'ask nothing')
    .action(async (args: InitArgs) => end(await (await import('./commands/init.ts')).init(args, io)));

  program
    .command('schema [kind]')
    .summary('print the JSON Schema of the kinds, for editors')
    .description(
      'Prints one JSON Schema for all kinds, for one, or for gwconf.yaml (Project); editors complete and check with it.',
    )
    .action(async (kind: string | undefined) => end((await import('./commands/schema.ts')).schema(kind, io)));

  program
    .command('gateway')
    .summary('serve an embedded gateway to practise on')
    .description(
      'Serves a gateway of its own over HTTP, as strict as a real one, until Ctrl-C. Without a server the same is at --url embedded:FILE.',
    )
    .option('--port <port>', '0 takes any free one', '8888')
    .option('--host <host>', 'the address to listen on', '127.0.0.1')
    .option('--state <file>', 'keep the state in this file')
    .option('--user <name>', 'who may call it (default: admin)')
    .option('--password-file <file>', 'the password is in this file; without it, it is conduktor')
    .option('--gateway-version <version>', 'the version that it says it has')
    .option('--security <mode>', 'GATEWAY_MANAGED or PLAINTEXT, which has no virtual clusters')
    .addOption(
      repeatable(
        '--topic <name[:policy]>',
        'a Kafka topic and its cleanup.policy; without any, every topic is taken to exist',
      ),
    )
    .addOption(
      repeatable(
        '--physical-cluster <id>',
        'what alias topics of Partner clusters may point to, beside main',
      ),
    )
    .action(async (args: GatewayArgs) =>
      end(await (await import('./commands/gateway.ts')).gateway(args, io)),
    );

  program
    .command('fmt <path...>')
    .summary('put files in canonical order, in place')
    .description(
      'Puts the resources of files, and their keys, in canonical order, in place; comments and empty lines stay, and what a file means does not change. Prints the names of the files that change; - reads stdin and writes stdout.',
    )
    .option('--check', 'write nothing; exit 1 when a file would change')
    .action(async (paths: string[], args: FmtArgs) =>
      end(await (await import('./commands/fmt.ts')).fmt(paths, args, io)),
    );

  program
    .command('explain <name>')
    .summary('tell what is known of a kind, a plugin class or a field')
    .description(
      'Tells what is known of a kind, a plugin class or a field; for example: gwconf explain Interceptor.spec.priority, gwconf explain FieldLevelDataMaskingPlugin',
    )
    .action(async (name: string) => end((await import('./commands/explain.ts')).explain(name, io)));

  program
    .command('template <name>')
    .summary('print a document to start from')
    .description('Prints a document to start from: of a kind, or of an interceptor with a plugin class.')
    .action(async (name: string) => end((await import('./commands/template.ts')).template(name, io)));

  program
    .command('version')
    .summary('print the version')
    .action(() => {
      io.out(`gwconf ${VERSION}\n`);
      end(0);
    });

  program
    .command('completion <shell>')
    .summary('print the completion script of a shell')
    .description(
      'Prints the completion script of bash, zsh or fish; for example: source <(gwconf completion bash)',
    )
    .action(async (shell: string) =>
      end((await import('./present/completion.ts')).completion(shell, program, io)),
    );

  return program;
}

const HELP = `
Exit codes:
  0 fine   1 your input or the gateway   2 changes pending (--detailed-exitcode)   3 blocked by a safety rule
  4 the plan is stale, or for another gateway   5 applied in part   64 wrong usage   70 a bug   130 interrupted

First steps:
  gwconf plan -f examples/quickstart --url embedded:practice.json
  gwconf apply -f examples/quickstart --url embedded:practice.json`;
