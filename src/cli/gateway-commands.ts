import { Option, type Command } from 'commander';
import { approving, connection, environment, input, PAGE_OUTPUT, repeatable } from './options.ts';
import type { ExitCode } from '../outcome/verdict.ts';

/** Makes the action of a command from the function that it loads. */
type Runs = (
  load: () => Promise<(...args: never[]) => Promise<ExitCode>>,
) => (...given: readonly unknown[]) => Promise<void>;

const REPORT = repeatable('-o, --output <format>', 'human or json');

/** The commands that show what is on a gateway, or use what it offers beside its state. */
export function addGatewayCommands(program: Command, runs: Runs): void {
  environment(connection(program.command('get [glob...]').summary('list what is on the gateway')))
    .description(
      'Lists objects of the gateway, of all kinds or those that match: an address, a glob over addresses, or a kind. Secrets are hidden. Changes nothing.',
    )
    .addOption(repeatable('--kind <kind>', 'only this kind'))
    .option('--snapshot <file>', 'list the objects of a snapshot instead of a gateway')
    .addOption(repeatable('-f, --file <path>', 'files that show which fields come from variables'))
    .addOption(repeatable('-o, --output <format>', 'human, json, yaml or name'))
    .action(runs(async () => (await import('./commands/get.ts')).get));

  environment(
    connection(program.command('plugins').summary('list the plugin classes of the gateway and of gwconf')),
  )
    .description(
      'Lists the plugin classes that the gateway can run, beside those that gwconf knows. Notes say which class is unknown to gwconf, not on the gateway, deprecated or removed. Changes nothing.',
    )
    .addOption(repeatable('-o, --output <format>', 'human, wide, json or yaml'))
    .action(runs(async () => (await import('./commands/plugins.ts')).plugins));

  connection(input(program.command('effective [path...]').summary('show which interceptors run for whom')))
    .description(
      'Shows which interceptors run for each principal, in their order, and what they protect it by: for accounts, users that scopes name, and in each virtual cluster anybody else. --as, --virtual-cluster, --group and --external-group ask for one principal. Calls no gateway without --live or --compare, and changes nothing.',
    )
    .option('--as <user>', 'the name of one principal; its groups in the files count, too')
    .option('--virtual-cluster <name>', 'the virtual cluster that it connects to (default: passthrough)')
    .addOption(repeatable('--group <name>', 'a group that it is in'))
    .option('--external-group <name>', 'a group of the identity provider that it is in')
    .option('--why', 'show what each interceptor overrides, and the line that declares it')
    .option('--topic <name>', 'show only the interceptors that act on this topic')
    .option('--uncovered', 'show the topics that no protective interceptor acts on, and for whom')
    .option(
      '--topics <file>',
      'with --uncovered, a file with a topic on each line, or - for stdin; default: the alias and concentrated topics',
    )
    .option('--protection <name>', 'with --uncovered, this sort of protection, such as encryption')
    .option('--live', 'show the chains on the gateway instead of those of files')
    .option('--compare', 'compare the chains of files with what the gateway runs')
    .option('--detailed-exitcode', 'exit with 2 if --compare finds drift, or --uncovered topics')
    .addOption(PAGE_OUTPUT)
    .action(runs(async () => (await import('./commands/effective.ts')).effective));

  environment(
    connection(program.command('resolve').summary('show which interceptors run for a client, and why')),
  )
    .description(
      'Asks the gateway which interceptors run for a client, in their order, and shows for each the scope that made it run and the interceptors of its name that it overrides. The gateway does not look up groups: name each with --group. Changes nothing.',
    )
    .option('--as <user>', 'the name of the client; default: one without interceptors of its own')
    .option('--virtual-cluster <name>', 'the virtual cluster that it connects to (default: passthrough)')
    .addOption(repeatable('--group <name>', 'a group that it is in'))
    .addOption(REPORT)
    .action(runs(async () => (await import('./commands/resolve.ts')).resolve));

  const token = program.command('token').summary('issue and inspect tokens of service accounts');
  token.description('Issues tokens for LOCAL service accounts, and inspects them.');

  environment(
    connection(token.command('issue [address]').summary('issue a token for a LOCAL service account')),
  )
    .description(
      'Issues a token for a LOCAL service account: an address, or --account with --virtual-cluster. The token goes to --out FILE, or to stdout if that is a pipe or a file. On a terminal, and in CI, where stdout is in the log of the job, stdout needs --show. Tokens cannot be revoked; token in gwconf.yaml limits their lifetime.',
    )
    .option('--account <name>', 'the name of the account, instead of its address')
    .option('--virtual-cluster <name>', 'the virtual cluster of --account (default: passthrough)')
    .requiredOption('--lifetime <duration>', 'how long the token is valid, such as 12h or 90d')
    .option('--out <file>', 'write the token to this file, which only you can read; git must ignore it')
    .addOption(
      new Option(
        '--format <format>',
        'the token alone; a JAAS login; client properties; NAME=value lines; or JSON',
      )
        .choices(['token', 'jaas', 'properties', 'env', 'json'])
        .default('token'),
    )
    .option('--show', 'print the token on a terminal or in CI, too')
    .addOption(REPORT)
    .action(runs(async () => (await import('./commands/token-issue.ts')).issue));

  token
    .command('inspect <file>')
    .summary('show what a token says, and how long it is valid')
    .description(
      'Shows the claims of a token and the time that is left. Reads all formats of gwconf token issue; - is stdin. Does not check the signature: only the gateway can. Nothing is called.',
    )
    .option('--warn-within <duration>', 'exit with 1 if the token expires within this time, such as 7d')
    .addOption(REPORT)
    .action(runs(async () => (await import('./commands/token-inspect.ts')).inspect));

  const cluster = program.command('cluster').summary('switch physical clusters');
  cluster.description('Switches the physical clusters that a gateway uses.');
  const url = repeatable(
    '--url <url>',
    'URL of an instance of the gateway; repeatable, since each instance has to be told (GWCONF_URL for one)',
  );
  approving(
    environment(
      connection(cluster.command('switch').summary('send traffic to another physical cluster'), url),
    ),
    'switch without asking',
  )
    .description(
      'Makes each instance of a gateway use the connection of another physical cluster, until it restarts. Asks first, and reads back whether an instance did where it can tell. Gateway 3.21.0 and later: experimental, because their API for it is not documented.',
    )
    .requiredOption('--to <cluster>', 'the physical cluster to use, such as failover; main switches back')
    .option('--from <cluster>', 'the physical cluster whose traffic is switched', 'main')
    .option('--experimental', 'try it on gateway 3.21.0 and later')
    .option(
      '--settle-timeout <duration>',
      'how long to read until the switch is visible (GWCONF_SETTLE_TIMEOUT; default: 30s)',
    )
    .addOption(REPORT)
    .action(runs(async () => (await import('./commands/cluster-switch.ts')).switchCluster));
}
