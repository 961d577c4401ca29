import { LAYOUTS, type SecretName } from '../../declare/declared.ts';
import { isReserved } from '../../model/text/placeholder.ts';
import { CAUSES } from '../../plan/change/change.ts';
import { DETAILS } from '../../report/text/layout.ts';
import { UsageError } from '../io.ts';
import {
  choice,
  commaList,
  inGroup,
  list,
  listOf,
  rare,
  text,
  toggle,
  type Flag,
  type Values,
} from './flag.ts';

/** Flags that come before every command. */
export const GLOBAL = {
  chdir: text('<folder>', 'change to this folder first'),
  noColor: toggle('turn colours off (also NO_COLOR; FORCE_COLOR turns them on without a terminal)'),
  logLevel: text('<level>', 'write a JSON log to stderr: trace, debug, info, warn or error', {
    env: 'GWCONF_LOG_LEVEL',
  }),
  maxInput: text('<size>', 'most that all files of a run may hold together; default: 256MB', {
    env: 'GWCONF_MAX_INPUT',
  }),
};

/** Select an environment of the project, and what files can use of it. */
export const environment = inGroup('Input', {
  env: text('<name>', 'the environment in gwconf.yaml (GWCONF_ENV); default: the only one'),
  ...rare({
    publicVariable: list(
      '<name>',
      'environment variable whose value can be shown, and fill in names (GWCONF_PUBLIC_VARIABLES); GWCONF_ALLOWED_VARIABLES limits the variables that files can use',
    ),
  }),
});

/** The same for several environments at once. */
export const environments = {
  ...environment,
  ...inGroup('Input', {
    env: commaList(
      "environments in gwconf.yaml (GWCONF_ENV): names and globs in quotes, with commas, or repeated: 'prod-*,!prod-eu'; default: the only one",
    ),
  }),
};

const secretRoot = text(
  '<folder>',
  'base folder of ${file:PATH} (GWCONF_SECRET_ROOT; default: the project folder)',
);

/** Of commands that read resources. */
export const input = inGroup('Input', {
  ...environment,
  file: list('<path>', 'file, folder (read recursively), or - for stdin', { short: 'f' }),
  recursive: toggle('has no effect: folders are always read recursively', { short: 'R', isHidden: true }),
  ...rare({
    allowEmpty: toggle('accept files and folders without resources'),
    strict: toggle('documents of other tools in folders are errors'),
    secretRoot,
  }),
});

/** The same for several environments at once. */
export const inputs = { ...input, env: environments.env };

export const sources = rare(
  inGroup('Input', {
    allowExec: toggle(
      'allow ${exec:NAME} to run the programs listed in gwconf.yaml, and ${vault:…} and other stores to run theirs (GWCONF_ALLOW_EXEC)',
    ),
    secretRoot,
  }),
);

export const manages = rare(
  inGroup('Limits', { manages: globs('addresses this project manages; overrides manages in gwconf.yaml') }),
);

const narrowing = {
  target: globs('only addresses that match; * matches any text, a leading ! excludes'),
  exclude: globs('omit addresses that match'),
};

export const selection = { ...sources, ...narrowing, ...manages };

/** Of a comparison whose two sides say what is read. */
export const compared = { publicVariable: environment.publicVariable, ...sources, ...narrowing };

/** Limits on the changes of one run, and what may happen to clients. */
export const limits = inGroup('Limits', {
  maxDeletes: text('<n|p%>', limitHelp('delete')),
  maxUpdates: text('<n|p%>', limitHelp('update')),
  acceptExposure: globs('allow clients to lose the protection of these interceptors in this run'),
});

function limitHelp(verb: string): string {
  return `most ${verb}s: a number, or % of managed objects`;
}

/** Of commands that judge patterns. */
export const topics = rare(
  inGroup('Input', {
    topics: text(
      '<file>',
      'a file with a topic on each line, or - for stdin; patterns of interceptors are judged by these, in each virtual cluster, and by the alias and concentrated topics; default: topics in gwconf.yaml',
    ),
  }),
);

/** Of commands that plan changes. */
export const planning = {
  ...selection,
  prune: toggle('delete managed objects that no file declares'),
  ...limits,
  ...topics,
};

/** The group of the connection, whose help is `gwconf help connection`. */
export const GATEWAY = 'Gateway';

export const connection = inGroup(GATEWAY, {
  url: text(
    '<url>',
    'gateway URL: https://HOST:8888, or embedded:FILE (GWCONF_URL, CDK_GATEWAY_BASE_URL); GWCONF_ALLOWED_HOSTS limits the URLs of gwconf.yaml and is needed for them in CI',
  ),
  user: text('<name>', 'user name (GWCONF_USER, CDK_GATEWAY_USER)'),
  passwordFile: text('<file>', 'file with the password (or GWCONF_PASSWORD, CDK_GATEWAY_PASSWORD)'),
  header: list('<name: value>', 'header to send with each request; @FILE reads one per line'),
  caCert: text('<file>', 'CA certificates to trust, PEM (GWCONF_CA_CERT, CDK_CACERT)'),
  clientCert: text('<file>', 'client certificate, PEM (GWCONF_CLIENT_CERT, CDK_CERT)'),
  clientKey: text('<file>', 'key of the client certificate, PEM (GWCONF_CLIENT_KEY, CDK_KEY)'),
  proxy: text('<url>', 'proxy URL (GWCONF_PROXY, HTTPS_PROXY, HTTP_PROXY; NO_PROXY)'),
  timeout: text('<duration>', 'how long to wait for a response, such as 30s (GWCONF_TIMEOUT)'),
  insecureSkipVerify: toggle('accept any server certificate (GWCONF_INSECURE_SKIP_VERIFY, CDK_INSECURE)'),
});

export const journal = inGroup('Journal', {
  journal: text(
    '<folder>',
    'folder of the journals, or none to keep none (GWCONF_JOURNAL; default: .gwconf/journal)',
  ),
});

export const detail = inGroup('Output', {
  detail: choice('<level>', 'how much of the plan to show; default: by its size', DETAILS),
});

export const explain = {
  explain: text(
    '<address>',
    'explain one change instead: its reason, its place in the order, its source line',
  ),
};

const FAIL_ON = ['loss', ...CAUSES] as const;

export const { detailedExitcode } = inGroup('Output', {
  detailedExitcode: toggle('exit with 2 if there are changes'),
});

/** Of commands that compare, and change nothing. */
export const comparing = {
  ...inputs,
  ...planning,
  ...connection,
  out: text(
    '<file>',
    'save the plan for gwconf apply FILE, or of several environments in a folder; contains no secrets',
  ),
  ...rare({
    signKey: text(
      '<file>',
      'private key of gwconf keygen that signs the saved plan (GWCONF_PLAN_PRIVATE_KEY: PEM, or @FILE; a shared key: GWCONF_PLAN_KEY)',
    ),
    validFor: text(
      '<duration>',
      'how long the saved plan can be applied, such as 8h or 7d, or none (GWCONF_VALID_FOR; default: 1d if it is signed)',
    ),
  }),
  snapshot: text('<file>', 'compare with a snapshot, without a gateway'),
  base: text(
    '<ref>',
    'base branch, such as origin/main; marks changes of this branch, merged but not applied, or drift',
  ),
  failOn: listOf(
    '<what>',
    `exit with 3 if protection is lost or weaker, and nobody accepts it: loss; or, with --base, if a change has this cause: ${CAUSES.join(', ')}; takes a list with commas`,
    (names) =>
      names.split(',').map((name) => {
        const known = FAIL_ON.find((one) => one === name.trim());
        if (known === undefined)
          throw new UsageError(`expected --fail-on ${FAIL_ON.join(', ')}; found ${name}`);
        return known;
      }),
  ),
  detailedExitcode,
  ...explain,
  ...detail,
};

/** Of commands that ask before they change a gateway. */
export function approving(help: string) {
  return {
    autoApprove: toggle(help),
    yes: toggle('same as --auto-approve', { implies: { autoApprove: true } }),
  };
}

/** Of commands that change a gateway. */
export const writing = {
  ...approving('apply without asking'),
  keepGoing: toggle(
    'after a failure, continue with changes that do not depend on it; stage 2, the deletes, waits for all of stage 1',
  ),
  ...rare({
    parallelism: text(
      '<n>',
      'maximum concurrent requests; starts with 8 and adapts to the latency of the gateway (default: 64)',
    ),
    settleTimeout: text(
      '<duration>',
      'how long to retry, and to wait until writes are visible (GWCONF_SETTLE_TIMEOUT; default: 30s)',
    ),
    wait: text(
      '<duration>',
      'how long to wait for another run on the same gateway, by its lock beside the journal (GWCONF_WAIT; default: 0s)',
    ),
    ...journal,
  }),
};

export const secretsEnv = {
  secretsEnv: text(
    '<file>',
    'write the values of secrets to a file that only you can read, as NAME=value lines, below those that it has; git must ignore it',
  ),
  secretName: listOf(
    '<pattern=name>',
    "variable for the secrets whose address and field match, such as '*/vault/token=VAULT_TOKEN'; * matches any text",
    (written, flag) => [parseSecretName(written, flag)],
  ),
};

/** Addresses have `=` in them, and names have not. */
function parseSecretName(written: string, flag: string): SecretName {
  const at = written.lastIndexOf('=');
  const [pattern, name] = [written.slice(0, at), written.slice(at + 1)];
  if (at < 1 || !/^[A-Za-z_]\w*$/.test(name))
    throw new UsageError(
      `expected ${flag} to be PATTERN=NAME, such as '*/vault/token=VAULT_TOKEN'; found '${written}'`,
    );
  if (isReserved(name))
    throw new UsageError(`${name} of ${flag} is a setting of gwconf, which files cannot use`);
  return { pattern, name };
}

export const NEW_FOLDER = 'the folder to make; it must be new or empty';

/** For the files of a new folder. */
export const spreading = {
  layout: choice(
    '<layout>',
    'how objects are spread over files; default: by-virtual-cluster if there are several, else by-kind',
    LAYOUTS,
  ),
  ...secretsEnv,
};

export const placeholders = {
  file: list('<path>', 'files that show which fields come from variables', { short: 'f' }),
  ...rare({ secretRoot }),
};

/** Rejects an empty glob: it matches nothing, and usually comes from an unset variable in a CI job. */
export function globs(help: string): Flag<readonly string[] | undefined> {
  return listOf('<glob>', help, (glob, flag) => {
    if (/^!?\s*$/.test(glob))
      throw new UsageError(
        `expected ${flag} to be a glob over addresses, such as 'AliasTopic/*'; found '${glob}'; set the variable that it comes from, or leave ${flag} out`,
      );
    return [glob];
  });
}

export type EnvironmentArgs = Values<typeof environment>;
export type SourceArgs = Values<typeof sources>;
export type ConnectionArgs = Values<typeof connection>;
