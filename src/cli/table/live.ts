import { FORMATS_OF, type Command } from './command.ts';
import { choiceWithDefault, list, optional, required, text, toggle, withDefault } from './flag.ts';
import {
  approving,
  connection,
  detail,
  environment,
  input,
  inputs,
  journal,
  manages,
  NEW_FOLDER,
  placeholders,
  secretsEnv,
  selection,
  sources,
  spreading,
} from './flags.ts';

/** A client, by the names that interceptors are scoped to. */
const client = {
  virtualCluster: text('<name>', 'the virtual cluster that it connects to (default: passthrough)'),
  group: list('<name>', 'a group that it is in'),
};

/** The commands that show or use what is on a gateway. */
export const LIVE = {
  import: {
    group: 'daily',
    page: 'reference/import.md',
    summary: 'add objects from the gateway to the files',
    description:
      'Adds gateway objects that are in no file to the files of the same kind and virtual cluster. With --drift, copies changed values from the gateway into the files instead. Keeps comments and layout. Replaces secrets with variables. Never changes the gateway.',
    operand: '[glob...]',
    flags: {
      ...input,
      ...sources,
      ...connection,
      drift: toggle(
        'take the values of the gateway for declared objects that differ, instead of adding objects',
      ),
      deleted: toggle('with --drift, remove what is not on the gateway from the files'),
      to: text('<file>', 'the file for all that is added'),
      fromTerraform: text(
        '<file>',
        'add what Terraform manages: the output of terraform show -json, or a state file',
      ),
      fromCliState: text(
        '<file>',
        'propose to remove what the official CLI has applied and no file declares, from its state file',
      ),
      ...secretsEnv,
      dryRun: toggle('print the changes as a diff, and write nothing'),
      exclude: selection.exclude,
      ...manages,
      detailedExitcode: toggle('exit with 2 if files change'),
      ...detail,
    },
    gateway: 'read',
    examples: [
      "gwconf import 'AliasTopic/*@vCluster=prod' --env prod",
      'gwconf import --env prod --drift --dry-run',
    ],
  },
  drift: {
    group: 'daily',
    page: 'reference/drift.md',
    summary: 'show where the gateway differs from files',
    description:
      'Shows where the gateway differs from files, which managed objects are in no file, and what could not be checked. Changes nothing.',
    operand: '[path...]',
    takesSeveral: true,
    flags: {
      ...inputs,
      ...selection,
      ...connection,
      ...journal,
      since: text(
        '<file>',
        'tell by this snapshot what has changed on the gateway since it was taken, and what has not',
      ),
      detailedExitcode: toggle('exit with 2 if there is drift'),
    },
    formats: FORMATS_OF.report,
    gateway: 'read',
    examples: ['gwconf drift --env prod', 'gwconf drift --env prod --detailed-exitcode'],
  },
  get: {
    group: 'look',
    page: 'reference/get.md',
    summary: 'list what is on the gateway',
    description:
      'Lists objects of the gateway, of all kinds or those that match: an address, a glob over addresses, or a kind. Secrets are hidden. Changes nothing.',
    operand: '[glob...]',
    flags: {
      ...connection,
      ...environment,
      kind: list('<kind>', 'only this kind'),
      snapshot: text('<file>', 'list the objects of a snapshot instead of a gateway'),
      ...placeholders,
    },
    formats: { names: ['human', 'json', 'yaml', 'name'] },
    gateway: 'read',
    examples: ['gwconf get interceptors --env prod', "gwconf get 'AliasTopic/*@vCluster=prod' -o yaml"],
  },
  plugins: {
    group: 'look',
    page: 'reference/get.md#plugin-classes',
    summary: 'list the plugin classes of the gateway and of gwconf',
    description:
      'Lists the plugin classes that the gateway can run, beside those that gwconf knows. Notes say which class is unknown to gwconf, not on the gateway, deprecated or removed. Changes nothing.',
    flags: { ...connection, ...environment },
    formats: { names: ['human', 'wide', 'json', 'yaml'] },
    gateway: 'read',
    examples: ['gwconf plugins --env prod', 'gwconf plugins --env prod -o json'],
  },
  effective: {
    group: 'look',
    page: 'reference/effective.md',
    summary: 'show which interceptors run for each client',
    description:
      'Shows which interceptors run for each client, in order, and which protection they give: for service accounts, users in scopes, members of external groups, and all other clients of each virtual cluster. --as, --virtual-cluster, --group and --external-group select one client. Reads the files; --live reads the gateway instead, and --compare reads both. Changes nothing.',
    operand: '[path...]',
    takesSeveral: true,
    flags: {
      ...inputs,
      ...connection,
      as: text('<user>', 'the name of one client; its groups in the files count, too'),
      ...client,
      externalGroup: text('<name>', 'a group of the identity provider that it is in'),
      why: toggle('show what each interceptor overrides, and the line that declares it'),
      topic: text('<name>', 'show only the interceptors that act on this topic'),
      uncovered: toggle('show the topics that no protective interceptor acts on, and for whom'),
      topics: text(
        '<file>',
        'with --uncovered or --compare, a file with a topic on each line, or - for stdin; default: topics in gwconf.yaml, or the alias and concentrated topics',
      ),
      protection: text('<name>', 'with --uncovered, this protection type, such as encryption'),
      live: toggle('show the chains on the gateway instead of those of files'),
      compare: toggle('compare the chains of files, and what they protect, with what the gateway runs'),
      detailedExitcode: toggle('exit with 2 if --compare finds drift, or --uncovered topics'),
    },
    formats: FORMATS_OF.page,
    gateway: 'read',
    examples: [
      'gwconf effective --env prod --as orders-app --virtual-cluster prod --why',
      'gwconf effective --env prod --uncovered --topics topics.txt --protection encryption',
    ],
  },
  resolve: {
    group: 'look',
    page: 'reference/effective.md#on-a-gateway',
    summary: 'show which interceptors run for a client, and why',
    description:
      'Asks the gateway which interceptors run for one client, in order. For each, shows the scope that matched and the interceptors of the same name it overrides. The client has the groups it is a member of on the gateway, and those of --group. Changes nothing.',
    flags: {
      ...connection,
      ...environment,
      as: text('<user>', 'the name of the client; default: one without interceptors of its own'),
      ...client,
    },
    formats: FORMATS_OF.answer,
    gateway: 'read',
    examples: [
      'gwconf resolve --as orders-app --virtual-cluster prod --group payments',
      'gwconf resolve --env prod --as orders-app -o json',
    ],
  },
  'token issue': {
    group: 'operate',
    page: 'reference/tokens.md',
    summary: 'issue a token for a LOCAL service account',
    description:
      'Issues a token for a LOCAL service account: an address, or --account with --virtual-cluster. The token goes to --out FILE, or to stdout if that is a pipe or a file. On a terminal, and in CI, where stdout is in the log of the job, stdout needs --show. Tokens cannot be revoked; token in gwconf.yaml limits their lifetime.',
    operand: '[address]',
    flags: {
      ...connection,
      ...environment,
      account: text('<name>', 'the name of the account, instead of its address'),
      virtualCluster: text('<name>', 'the virtual cluster of --account (default: passthrough)'),
      lifetime: required('<duration>', 'how long the token is valid, such as 12h or 90d'),
      out: text('<file>', 'write the token to this file, which only you can read; git must ignore it'),
      format: choiceWithDefault(
        '<format>',
        'the token alone; a JAAS login; client properties; NAME=value lines; or JSON',
        ['token', 'jaas', 'properties', 'env', 'json'],
        'token',
      ),
      show: toggle('print the token on a terminal or in CI, too'),
    },
    formats: FORMATS_OF.page,
    gateway: 'write',
    examples: [
      'gwconf token issue GatewayServiceAccount/orders-app@vCluster=prod --lifetime 90d --out /run/secrets/orders-app',
      'gwconf token issue --account orders-app --lifetime 12h --format env --out .env',
    ],
  },
  'token inspect': {
    group: 'operate',
    page: 'reference/tokens.md#inspecting-a-token',
    summary: 'show what a token says, and how long it is valid',
    description:
      'Shows the claims of a token and the time that is left. Reads all formats of gwconf token issue; - is stdin. Does not check the signature: only the gateway can. Nothing is called.',
    operand: '<file>',
    flags: {
      warnWithin: text('<duration>', 'exit with 1 if the token expires within this time, such as 7d'),
    },
    formats: FORMATS_OF.answer,
    examples: [
      'gwconf token inspect /run/secrets/orders-app --warn-within 7d',
      'gwconf token inspect .env -o json',
    ],
  },
  'cluster switch': {
    group: 'operate',
    page: 'reference/cluster-switching.md',
    summary: 'send traffic to another physical cluster',
    description:
      'Makes each instance of a gateway use the connection of another physical cluster, until it restarts. Asks first, and reads back whether an instance did where it can tell. Gateway 3.21.0 and later: experimental, because their API for it is not documented.',
    flags: {
      ...connection,
      url: list(
        '<url>',
        'URL of an instance of the gateway; repeatable, since each instance has to be told (GWCONF_URL for one)',
      ),
      ...environment,
      ...approving('switch without asking'),
      to: required('<cluster>', 'the physical cluster to use, such as failover; main switches back'),
      from: withDefault('<cluster>', 'the physical cluster whose traffic is switched', 'main'),
      experimental: toggle('try it on gateway 3.21.0 and later'),
      settleTimeout: text(
        '<duration>',
        'how long to read until the switch is visible (GWCONF_SETTLE_TIMEOUT; default: 30s)',
      ),
    },
    formats: FORMATS_OF.answer,
    gateway: 'write',
    examples: [
      'gwconf cluster switch --to failover --url https://gw-1.example.com:8888 --url https://gw-2.example.com:8888',
      'gwconf cluster switch --to main --env prod --auto-approve',
    ],
  },
  export: {
    group: 'move',
    page: 'guides/adopt.md',
    summary: 'write the objects of the gateway as files',
    description:
      'Writes the objects of the gateway, all or those that match, as files into a new folder; then checks that a plan of these files is empty. Secrets become variables. Changes nothing on the gateway.',
    operand: '[glob...]',
    alias: 'dump',
    flags: {
      ...connection,
      ...environment,
      out: required('<folder>', NEW_FOLDER),
      ...spreading,
      project: optional(
        '[environment]',
        'also write a gwconf.yaml beside the folder that manages what is exported; default name: prod',
      ),
      userMappings: toggle('write external service accounts as UserMapping where it says the same'),
      snapshot: text('<file>', 'export the objects of a snapshot instead of a gateway'),
      ...placeholders,
    },
    formats: FORMATS_OF.page,
    gateway: 'read',
    examples: [
      'gwconf export --env prod --out gateway --secrets-env .env',
      "gwconf export 'AliasTopic/*' '*@vCluster=payments*' --out payments/gateway --project",
    ],
  },
  migrate: {
    group: 'move',
    page: 'guides/migrate.md',
    summary: 'write what calls to the removed API v1 made as files',
    description:
      'Reads the calls of scripts, Postman collections, .http files, workflows and recordings; without a path, a gateway below 3.21.0. Writes files that declare what they leave on the gateway, and says what became of each call. Nothing is run, and nothing on a gateway changes. With --scan, finds the uses of v1 in files of any language instead.',
    operand: '[path...]',
    flags: {
      ...connection,
      ...environment,
      out: text('<folder>', NEW_FOLDER),
      ...spreading,
      project: optional(
        '[environment]',
        'also write a gwconf.yaml beside the folder that manages what is migrated; default name: prod',
      ),
      gateway: list('<url>', 'only calls to this gateway; default: a folder for each'),
      virtualCluster: list('<name>', 'a virtual cluster that v1 of the gateway may not list'),
      scan: toggle('only find the uses of v1 in these files and folders; default: the current folder'),
      detailedExitcode: toggle(
        'exit with 2 if a call cannot be converted; with --scan, if something uses v1',
      ),
    },
    formats: {
      names: ['human', 'json'],
      toFiles: true,
      with: { flag: 'scan', names: ['human', 'json', 'sarif', 'github'] },
      help: 'human or json; with --scan also sarif or github; with =FILE, also write it to a file',
    },
    gateway: 'read',
    examples: [
      'gwconf migrate scripts --out gateway --secrets-env .env',
      'gwconf migrate --scan ../scripts -o sarif=v1.sarif --detailed-exitcode',
    ],
  },
  snapshot: {
    group: 'review',
    page: 'reference/drift.md#offline-plans',
    summary: 'save the state of the gateway, for plans without it',
    description:
      'Saves the state of the gateway to a file for gwconf plan --snapshot FILE. Secrets are replaced by salted digests.',
    flags: {
      ...connection,
      ...environment,
      out: required('<file>', 'the file to write'),
      ...placeholders,
    },
    gateway: 'read',
    examples: [
      'gwconf snapshot --env prod --out snapshot.json',
      'gwconf snapshot --url https://gateway.example.com:8888 --out snapshot.json',
    ],
  },
} as const satisfies Readonly<Record<string, Command>>;
