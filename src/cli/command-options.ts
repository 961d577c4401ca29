import { Option, type Command } from 'commander';
import { LAYOUTS } from '../declare/layouts.ts';
import {
  connection,
  DETAIL,
  environment,
  globs,
  input,
  OUTPUT,
  OUTPUT_FLAG,
  repeatable,
  sources,
} from './options.ts';

/** Options of commands that take what is live into files. */
export function importing(command: Command): Command {
  return connection(sources(input(command)))
    .option(
      '--drift',
      'take the values of the gateway for declared objects that differ, instead of adding objects',
    )
    .option('--deleted', 'with --drift, remove what is not on the gateway from the files')
    .option('--to <file>', 'the file for all that is added')
    .option(
      '--from-terraform <file>',
      'add what Terraform manages: the output of terraform show -json, or a state file',
    )
    .option(
      '--from-cli-state <file>',
      'propose to remove what the official CLI has applied and no file declares, from its state file',
    )
    .option(
      '--secrets-env <file>',
      'write the values of secrets to a new file that only you can read, as NAME=value lines; git must ignore it',
    )
    .option('--dry-run', 'print the changes as a diff, and write nothing')
    .addOption(globs('--exclude', 'leave out addresses that match'))
    .addOption(globs('--manages', 'addresses that these files manage; overrides manages in gwconf.yaml'))
    .option('--detailed-exitcode', 'exit with 2 if files change')
    .addOption(DETAIL);
}

/** Options of commands that write to a pull request. */
export function commenting(command: Command): Command {
  return command
    .option('--env <name>', 'the environment that the report is for; default: the one in the report')
    .option('--name <name>', 'name of the project, if several in a repository comment on a pull request')
    .option(
      '--pull-request <url>',
      'address of the pull request, or its number in the repository of the job; default: that of the job',
    )
    .option('--api-url <url>', 'address of the API of the forge, such as https://github.example/api/v3')
    .addOption(
      new Option(
        '--when-empty <what>',
        'if there is nothing to do: update the comment that there is, create one all the same, or delete it',
      )
        .choices(['update', 'create', 'delete'])
        .default('update'),
    )
    .option('--keep-earlier', 'keep what the comment said before, folded, as far as there is room')
    .option('--dry-run', 'print the comments, and write nothing')
    .option(
      '--ca-cert <file>',
      'PEM file of an authority to trust besides the usual ones (GWCONF_CA_CERT, CDK_CACERT)',
    )
    .option('--proxy <url>', 'proxy to the forge (GWCONF_PROXY, HTTPS_PROXY; NO_PROXY lists exceptions)')
    .option('--timeout <duration>', 'time limit of one request (GWCONF_TIMEOUT; default: 60s)');
}

const NEW_FOLDER = 'the folder to make; it must be new or empty';

/** Options for the files of a new folder. */
function spreading(command: Command, what: string): Command {
  return command
    .addOption(
      new Option(
        '--layout <layout>',
        'how objects are spread over files; default: by-virtual-cluster if there are several, else by-kind',
      ).choices(LAYOUTS),
    )
    .option(
      '--secrets-env <file>',
      'write the values of secrets to a new file that only you can read, as NAME=value lines; git must ignore it',
    )
    .option(
      '--project [environment]',
      `also write a gwconf.yaml beside the folder that manages what is ${what}; default name: prod`,
    );
}

/** Options of commands that write what is live as files. */
export function exporting(command: Command): Command {
  return spreading(environment(connection(command)).requiredOption('--out <folder>', NEW_FOLDER), 'exported')
    .option('--user-mappings', 'write external service accounts as UserMapping where it says the same')
    .option('--snapshot <file>', 'export the objects of a snapshot instead of a gateway')
    .addOption(repeatable('-f, --file <path>', 'files that show which fields come from variables'));
}

/** Options of `migrate`. */
export function migrating(command: Command): Command {
  return spreading(environment(connection(command)).option('--out <folder>', NEW_FOLDER), 'migrated')
    .addOption(repeatable('--gateway <url>', 'only calls to this gateway; default: a folder for each'))
    .addOption(
      repeatable('--virtual-cluster <name>', 'a virtual cluster that v1 of the gateway may not list'),
    )
    .option('--scan', 'only find the uses of v1 in these files and folders; default: the current folder')
    .option(
      '--detailed-exitcode',
      'exit with 2 if a call cannot be converted; with --scan, if something uses v1',
    )
    .addOption(
      repeatable(
        OUTPUT_FLAG,
        'human or json; with --scan also sarif or github; with =FILE, also write it to a file',
      ),
    );
}

/** Options of `test`. */
export function testing(command: Command): Command {
  return connection(sources(environment(command)))
    .option('--snapshot <file>', 'for cases about a plan: plan with a snapshot instead of a gateway')
    .option('--watch', 'run the tests again when a file changes, until Ctrl-C')
    .addOption(OUTPUT);
}

/** Options of an embedded gateway that is served. */
export function embedded(command: Command): Command {
  return command
    .option('--port <port>', 'port to listen on; 0 picks a free one', '8888')
    .option('--host <host>', 'address to listen on', '127.0.0.1')
    .addOption(
      repeatable(
        '--allowed-host <name>',
        'a name that clients reach it by, besides --host and localhost; others are refused',
      ),
    )
    .option('--allow-default-login', 'keep the default user and password for a --host that others can reach')
    .option('--state <file>', 'file that keeps the state')
    .option('--user <name>', 'user name for the admin API (default: admin)')
    .option('--password-file <file>', 'file with the password (default password: conduktor)')
    .option('--gateway-version <version>', 'version to act as; below 3.21.0 it has the v1 API, too')
    .option('--read-only-user <name>', 'another user, who cannot write')
    .option('--read-only-password-file <file>', 'file with the password of that user')
    .option(
      '--security <mode>',
      'how clients log in: GATEWAY_MANAGED (default), KAFKA_MANAGED, PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL, DELEGATED_SASL_PLAINTEXT or DELEGATED_SASL_SSL; decides which accounts and kinds there are',
    )
    .option('--oauth', 'clients can log in with OAuth: SASL_PLAINTEXT and SASL_SSL have EXTERNAL accounts')
    .option('--mtls', 'clients can log in with certificates: SSL has EXTERNAL accounts')
    .addOption(
      repeatable(
        '--topic <name[:policy]>',
        'a Kafka topic and its cleanup.policy; default: every topic exists',
      ),
    )
    .addOption(
      repeatable(
        '--physical-cluster <id>',
        'a physical cluster besides main, for alias topics of Partner clusters and gwconf cluster switch',
      ),
    );
}
