import { Option, type Command } from 'commander';
import { CAUSES, type Cause } from '../plan/change/cause.ts';
import { DETAILS } from '../report/text/text-options.ts';
import { UsageError } from './io.ts';

/** An option that may be repeated; collects every value. */
export function repeatable(flags: string, description: string): Option {
  return new Option(flags, description).argParser((value, before?: string[]) => (before ?? []).concat(value));
}

export const OUTPUT_FLAG = '-o, --output <format[=file]>';

export const OUTPUT = repeatable(
  OUTPUT_FLAG,
  'human, json, ndjson, markdown, html, step-summary, sarif, junit, github or gitlab-quality; with =FILE, also write it to a file',
);

export const PLAN_OUTPUT = repeatable(
  OUTPUT_FLAG,
  'human, json, ndjson, markdown, html, step-summary, sarif, junit, github, gitlab-quality or gitlab-terraform; with =FILE, also write it to a file',
);

export const PAGE_OUTPUT = repeatable(
  OUTPUT_FLAG,
  'human, json, markdown, html or step-summary; with =FILE, also write it to a file',
);

export const JOURNAL = new Option(
  '--journal <folder>',
  'folder of the journals, or none to keep none (GWCONF_JOURNAL; default: .gwconf/journal)',
);

export const DETAIL = new Option(
  '--detail <level>',
  'how much of the plan is shown: summary, fields or full; the default fits the number of changes',
).choices(DETAILS);

export const EXPLAIN = new Option(
  '--explain <address>',
  'explain one change instead of showing the plan: its reason, its place in the order, its source line',
);

/** A list after one flag, or several flags. */
const FAIL_ON = new Option(
  '--fail-on <cause>',
  `with --base, exit with 3 if a change has this cause: ${CAUSES.join(', ')}; repeatable, or a list with commas`,
).argParser((text, before?: Cause[]) => {
  const named = text.split(',').map((name) => {
    const cause = CAUSES.find((one) => one === name.trim());
    if (cause === undefined) throw new UsageError(`expected --fail-on ${CAUSES.join(', ')}; found ${name}`);
    return cause;
  });
  return [...(before ?? []), ...named];
});

/** Options that select an environment of the project, and what files can use of it. */
export function environment(command: Command): Command {
  return command
    .option('--env <name>', 'the environment in gwconf.yaml (GWCONF_ENV); default: the only one')
    .addOption(
      repeatable(
        '--public-variable <name>',
        'environment variable whose value can be shown, and fill in names (GWCONF_PUBLIC_VARIABLES); GWCONF_ALLOWED_VARIABLES limits the variables that files can use',
      ),
    );
}

/** Options of commands that read resources. */
export function input(command: Command): Command {
  return environment(command)
    .addOption(repeatable('-f, --file <path>', 'file, folder (read recursively), or - for stdin'))
    .addOption(new Option('-R, --recursive', 'has no effect: folders are always read recursively').hideHelp())
    .option('--allow-empty', 'accept files and folders without resources');
}

/** Options for the sources of secrets. */
export function sources(command: Command): Command {
  return command
    .option(
      '--allow-exec',
      'allow ${exec:NAME} to run the programs listed in gwconf.yaml (GWCONF_ALLOW_EXEC)',
    )
    .option(
      '--secret-root <folder>',
      'base folder of ${file:PATH} (GWCONF_SECRET_ROOT; default: the project folder)',
    );
}

/** Options of commands that plan changes. */
export function planning(command: Command): Command {
  return limiting(selection(command).option('--prune', 'delete unclaimed objects: managed, but in no file'));
}

/** Options of commands that compare, and change nothing. */
export function comparing(command: Command): Command {
  return connection(planning(input(command)))
    .option(
      '--out <file>',
      'save the plan for gwconf apply FILE; contains no secrets; signed if GWCONF_PLAN_KEY or GWCONF_PLAN_PRIVATE_KEY is set',
    )
    .option(
      '--sign-key <file>',
      'private key that signs the saved plan (GWCONF_PLAN_PRIVATE_KEY: PEM, or @FILE); see gwconf keygen',
    )
    .option(
      '--valid-for <duration>',
      'how long the saved plan can be applied, such as 8h or 7d, or none (GWCONF_VALID_FOR; default: 1d if it is signed)',
    )
    .option(
      '--snapshot <file>',
      'compare with a snapshot instead of a gateway; needs no network or credentials',
    )
    .option(
      '--base <ref>',
      'the branch that this one is to be merged into, such as origin/main: tells its changes from those that wait there, and from drift',
    )
    .addOption(FAIL_ON)
    .option('--detailed-exitcode', 'exit with 2 if there are changes')
    .addOption(EXPLAIN)
    .addOption(DETAIL)
    .addOption(PLAN_OUTPUT);
}

/** Limits on the changes of one run, and what may happen to clients. */
export function limiting(command: Command): Command {
  const help = (verb: string): string =>
    `most objects to ${verb} in this run, as a number or a percentage of managed objects`;
  return command
    .option('--max-deletes <n|p%>', help('delete'))
    .option('--max-updates <n|p%>', help('update'))
    .addOption(globs('--accept-exposure', 'interceptors whose protection clients may lose in this run'));
}

/** Options that select resources. */
export function selection(command: Command): Command {
  return sources(command)
    .addOption(globs('--target', 'only addresses that match; * matches any text, a leading ! excludes'))
    .addOption(globs('--exclude', 'leave out addresses that match'))
    .addOption(globs('--manages', 'addresses that these files manage; overrides manages in gwconf.yaml'));
}

/** Rejects an empty glob: it matches nothing, and usually comes from an unset variable in a CI job. */
export function globs(flag: string, description: string): Option {
  return new Option(`${flag} <glob>`, description).argParser((glob, before?: string[]) => {
    if (/^!?\s*$/.test(glob)) {
      throw new UsageError(
        `expected ${flag} to be a glob over addresses, such as 'AliasTopic/*'; found '${glob}'; set the variable that it comes from, or leave ${flag} out`,
      );
    }
    return (before ?? []).concat(glob);
  });
}

/** Options of commands that ask before they change a gateway. */
export function approving(command: Command, help: string): Command {
  return command
    .addOption(new Option('--auto-approve', help))
    .addOption(new Option('--yes', 'same as --auto-approve').implies({ autoApprove: true }).hideHelp());
}

/** Options of commands that change a gateway. */
export function writing(command: Command): Command {
  return approving(command, 'apply without asking')
    .option(
      '--parallelism <n>',
      'most concurrent calls; starts at 8 and follows the latency of the gateway (default: 64)',
    )
    .option('--keep-going', 'after a failure, continue with changes that do not depend on it')
    .option(
      '--settle-timeout <duration>',
      'how long to retry, and to wait until writes are visible (GWCONF_SETTLE_TIMEOUT; default: 30s)',
    )
    .option(
      '--wait <duration>',
      'how long to wait for another run on the same gateway, by its lock beside the journal (GWCONF_WAIT; default: 0s)',
    )
    .addOption(JOURNAL);
}

const URL_HELP =
  'gateway URL: https://HOST:8888, or embedded:FILE (GWCONF_URL, CDK_GATEWAY_BASE_URL); GWCONF_ALLOWED_HOSTS limits the URLs of gwconf.yaml and is needed for them in CI';

/** Options for the connection to the gateway. */
export function connection(command: Command, url = new Option('--url <url>', URL_HELP)): Command {
  return command
    .addOption(url)
    .option('--user <name>', 'user name (GWCONF_USER, CDK_GATEWAY_USER)')
    .option('--password-file <file>', 'file with the password (or GWCONF_PASSWORD, CDK_GATEWAY_PASSWORD)')
    .addOption(
      repeatable('--header <name: value>', 'header to send with each request; @FILE reads one per line'),
    )
    .option('--ca-cert <file>', 'CA certificates to trust, PEM (GWCONF_CA_CERT, CDK_CACERT)')
    .option('--client-cert <file>', 'client certificate, PEM (GWCONF_CLIENT_CERT, CDK_CERT)')
    .option('--client-key <file>', 'key of the client certificate, PEM (GWCONF_CLIENT_KEY, CDK_KEY)')
    .option('--proxy <url>', 'proxy URL (GWCONF_PROXY, HTTPS_PROXY, HTTP_PROXY; NO_PROXY)')
    .option('--timeout <duration>', 'how long to wait for a response, such as 30s (GWCONF_TIMEOUT)')
    .option(
      '--insecure-skip-verify',
      'accept any server certificate (GWCONF_INSECURE_SKIP_VERIFY, CDK_INSECURE)',
    );
}
