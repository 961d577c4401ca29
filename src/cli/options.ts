import { Option, type Command } from 'commander';
import { UsageError } from './io.ts';

/** An option that may be given again; each value counts. */
export function repeatable(flags: string, description: string): Option {
  return new Option(flags, description).argParser((value: string, before: string[] | undefined) => [
    ...(before ?? []),
    value,
  ]);
}

export function outputOption(): Option {
  return repeatable(
    '-o, --output <format[=file]>',
    'human, json, ndjson, sarif, junit or github; with =FILE beside what stdout gets',
  );
}

export function journalOption(): Option {
  return new Option(
    '--journal <folder>',
    'where the journals of runs are, or none (GWCONF_JOURNAL; default: .gwconf/journal)',
  );
}

export function explainOption(): Option {
  return new Option('--explain <address>', 'instead of the plan: why this change, why here, which line');
}

/** What every command takes that reads resources. */
export function input(command: Command): Command {
  return command
    .addOption(repeatable('-f, --file <path>', 'a file, a folder with all below it, or - for stdin'))
    .addOption(new Option('-R, --recursive', 'folders are always read with all below them').hideHelp())
    .option('--env <name>', 'the environment of gwconf.yaml (GWCONF_ENV); the only one is the default')
    .option('--allow-empty', 'it is meant that no resource is declared');
}

/** Where a command finds secrets that it has to compare or to send. */
export function sources(command: Command): Command {
  return command
    .option('--allow-exec', 'run the programs of gwconf.yaml that ${exec:NAME} asks for (GWCONF_ALLOW_EXEC)')
    .option('--secret-root <folder>', 'where ${file:PATH} begins (GWCONF_SECRET_ROOT; default: the project)');
}

/** What every command takes that compares to change. */
export function planning(command: Command): Command {
  return limiting(
    selection(command).option('--prune', 'delete what is unclaimed: managed here, and in no file'),
  );
}

/** How much one run may do. */
export function limiting(command: Command): Command {
  return command
    .option('--max-deletes <n|p%>', 'how many objects this run may delete, or which part of what is managed')
    .option('--max-updates <n|p%>', 'how many objects this run may update');
}

/** What of files and gateway a command looks at. */
export function selection(command: Command): Command {
  return sources(command)
    .addOption(globs('--target', 'only addresses that match; * is any text, a leading ! excludes'))
    .addOption(globs('--exclude', 'all addresses but those that match'))
    .addOption(
      globs('--manages', 'what these files are responsible for, in place of manages in gwconf.yaml'),
    );
}

/** An empty glob matches nothing: nobody means that, and a variable that a job failed to fill gives it. */
function globs(flag: string, description: string): Option {
  return new Option(`${flag} <glob>`, description).argParser((glob: string, before: string[] | undefined) => {
    if (/^!?\s*$/.test(glob)) {
      throw new UsageError(
        `expected ${flag} to be a glob over addresses, such as 'AliasTopic/*'; found '${glob}'; fill in the variable that it comes from, or leave ${flag} out`,
      );
    }
    return [...(before ?? []), glob];
  });
}

/** What every command takes that changes a gateway. */
export function writing(command: Command): Command {
  return command
    .addOption(new Option('--auto-approve', 'do not ask'))
    .addOption(new Option('--yes', 'the same').implies({ autoApprove: true }).hideHelp())
    .option('--parallelism <n>', 'how many calls may be in flight together (default: 8)')
    .option('--keep-going', 'after a failure go on with what does not depend on it')
    .option(
      '--settle-timeout <duration>',
      'how long to try again, and to wait for writes to show (GWCONF_SETTLE_TIMEOUT; default: 30s)',
    )
    .addOption(journalOption());
}

/** Where the gateway is, and who calls it. */
export function connection(command: Command): Command {
  return command
    .option(
      '--url <url>',
      'the gateway: https://HOST:8888, or embedded:FILE (GWCONF_URL, CDK_GATEWAY_BASE_URL); GWCONF_ALLOWED_HOSTS limits what gwconf.yaml may name',
    )
    .option('--user <name>', 'who calls it (GWCONF_USER, CDK_GATEWAY_USER)')
    .option(
      '--password-file <file>',
      'the password is in this file (or GWCONF_PASSWORD, CDK_GATEWAY_PASSWORD)',
    )
    .addOption(repeatable('--header <name: value>', 'sent with each call'))
    .option('--ca-cert <file>', 'PEM of the authorities to trust (GWCONF_CA_CERT, CDK_CACERT)')
    .option('--client-cert <file>', 'PEM of the client certificate (GWCONF_CLIENT_CERT, CDK_CERT)')
    .option('--client-key <file>', 'PEM of its key (GWCONF_CLIENT_KEY, CDK_KEY)')
    .option('--proxy <url>', 'the proxy to go through (GWCONF_PROXY, HTTPS_PROXY, HTTP_PROXY; NO_PROXY)')
    .option('--timeout <duration>', 'for an answer, such as 30s (GWCONF_TIMEOUT)')
    .option(
      '--insecure-skip-verify',
      'take any certificate; warns each run (GWCONF_INSECURE_SKIP_VERIFY, CDK_INSECURE)',
    );
}
