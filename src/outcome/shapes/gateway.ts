import {
  count,
  mapOf,
  maybe,
  object,
  text,
  words,
  either,
  exactly,
  flag,
  list,
  open,
  address,
  nullable,
  integer,
  time,
  pointer,
} from '../../model/shape.ts';
import { gateway, lazily, problems, report, resource, unavailable } from './shared.ts';
import { priority } from '../../plan/shapes.ts';

export const getReport = report(
  'get-report',
  {
    title: 'Report of gwconf get -o json',
    description: 'Objects as they are on the gateway. Secrets stand as (hidden).',
  },
  {
    result: words(
      ['ok', 'not-found', 'incomplete', 'error', 'blocked', 'stale'],
      'incomplete: a kind could not be listed; not-found: an address has no object.',
    ),
    gateway,
    snapshot: maybe(object({ takenAt: text('ISO 8601.'), ageSeconds: count() }, 'Only with --snapshot.')),
    summary: mapOf(count(), 'How many objects were found of each kind that was listed.'),
    resources: lazily(resource, 'By kind, then by address.'),
    unavailable,
    problems,
  },
);

export const exportReport = report(
  'export-report',
  {
    title: 'Report of gwconf export -o json',
    description: 'The files that declare what a gateway has. It has no secret.',
  },
  {
    result: words(
      ['ok', 'incomplete', 'error', 'blocked', 'stale'],
      'incomplete: objects were left out, each with a warning; error: nothing was written.',
    ),
    gateway,
    folder: text('The folder of the files.'),
    summary: object({
      objects: count('Objects that are declared.'),
      files: count('Files that declare them.'),
    }),
    written: list(text(), 'The paths of all files that were written.'),
    variables: list(
      object({
        name: text(),
        places: list(object({ address, path: pointer }), 'The fields that it is for.'),
        known: flag('Whether its value is known, and so could be written to --secrets-env.'),
      }),
      'The variables for secrets.',
    ),
    unavailable,
    problems,
  },
);

export const pluginsReport = report(
  'plugins-report',
  {
    title: 'Report of gwconf plugins -o json',
    description: 'The plugin classes that the gateway lists, beside those that gwconf knows.',
  },
  {
    result: words(['ok', 'error', 'blocked', 'stale']),
    gateway,
    summary: object({
      onGateway: count('Classes that the gateway lists.'),
      unknown: count('Those of them that gwconf does not know.'),
      notOnGateway: count('Classes that gwconf knows and the gateway does not list.'),
    }),
    plugins: list(
      object({
        class: text('The full name of the class.'),
        onGateway: flag(),
        known: flag('Whether gwconf knows the class, and checks its config.'),
        title: maybe(text()),
        version: maybe(text('Of the plugin, as the gateway lists it.')),
        license: maybe(text()),
        parent: maybe(text()),
        description: maybe(text()),
        deprecated: maybe(
          either(
            [text(), exactly(true)],
            'The gateway version that deprecates the class; true if it is not known.',
          ),
        ),
        removed: maybe(text('The first gateway version without the class.')),
        note: maybe(text('What to know before using the class.')),
      }),
      'By class.',
    ),
    problems,
  },
);

export const versionReport = report(
  'version-report',
  { title: 'What gwconf version -o json prints', description: 'Which gwconf this is, and what it knows.' },
  {
    version: text(),
    commit: text(
      'The commit that it was built from, with -dirty if files were changed; unknown without git.',
    ),
    catalog: object(
      {
        described: text('The newest gateway whose API description (OpenAPI) the kinds were made from.'),
        kinds: count('Kinds that files declare or that are only read.'),
        pluginClasses: count('Plugin classes whose config is known.'),
      },
      'What the kinds were made from. Fields that came later are those of the changelogs of the gateway.',
    ),
    gateways: object({ oldest: text(), newest: text() }, 'The versions of the gateway that it knows.'),
    node: text('The version of Node.js that runs it.'),
  },
);

export const doctorReport = report(
  'doctor-report',
  {
    title: 'Report of gwconf doctor -o json',
    description:
      'Settings with their sources, and what the checks of the gateway found. It has no secret. Minor versions may add checks.',
  },
  {
    result: words(
      ['ok', 'no-gateway', 'error', 'blocked', 'stale'],
      'error: a check or a setting has an error; warnings are ok.',
    ),
    gateway,
    summary: object(
      { ok: count(), warning: count(), error: count(), notChecked: count() },
      'How many findings have each status.',
    ),
    settings: list(
      object({
        name: text(),
        value: text('As people may see it: (set) for a secret, - for none.'),
        origin: text('The flag, variable or file that it comes from.'),
      }),
    ),
    objects: maybe(count('How many objects the gateway has; absent where they could not be listed.')),
    unavailable,
    checks: list(
      object({
        check: text(
          'reachable, certificates, credentials, rights, version, security, live, ready, health, clock or latency.',
        ),
        status: words(['ok', 'warning', 'error', 'not-checked']),
        message: text('What was found, or why it was not checked.'),
        hint: maybe(text('What to do.')),
        values: maybe(
          open(
            'The same for programs: rights (admin or read-only), version, protocol, daysLeft, differenceMs, medianMs and others.',
          ),
        ),
      }),
      'In the order of the checks; a check can have several findings.',
    ),
    problems,
  },
);

export const resolveReport = report(
  'resolve-report',
  { title: 'Report of gwconf resolve -o json', description: 'Which interceptors run for a client.' },
  {
    result: words(['ok', 'error', 'blocked', 'stale']),
    gateway,
    client: object({ username: maybe(text()), virtualCluster: text(), groups: list(text()) }),
    interceptors: list(
      object({
        address,
        name: text(),
        scope: mapOf(nullable()),
        priority,
        pluginClass: text(),
        overrides: list(
          address,
          'Interceptors of the same name that are for the client, too, and do not run because of this one.',
        ),
      }),
      'In the order in which they run, as the gateway says.',
    ),
    problems,
  },
);

export const switchReport = report(
  'switch-report',
  {
    title: 'Report of gwconf cluster switch -o json',
    description: 'Which instances of a gateway were switched to another physical cluster.',
  },
  {
    result: words(
      ['ok', 'partial', 'failed', 'interrupted', 'error', 'stale', 'blocked', 'unchanged'],
      'partial: some instances did; failed: none did; unchanged: not approved.',
    ),
    from: text(),
    to: text(),
    instances: list(
      object({
        url: text(),
        version: maybe(text()),
        status: words(
          ['switched', 'accepted', 'unconfirmed', 'failed', 'not-attempted'],
          'switched: it was read back; accepted: it cannot be; unconfirmed: accepted, and reads otherwise.',
        ),
        message: maybe(text()),
      }),
    ),
    problems,
  },
);

export const tokenReport = report(
  'token-report',
  {
    title: 'Report of gwconf token issue -o json',
    description: 'What became of a request for a token. The token itself is in the file.',
  },
  {
    result: words(
      ['ok', 'error', 'blocked', 'stale'],
      'blocked: the lifetime is too long; stale: the environment is pinned to another host.',
    ),
    gateway,
    account: text('The address of the account.'),
    lifetimeSeconds: count(undefined, 1),
    expiresAt: maybe(time('ISO 8601; not there if no token was issued, or it does not say.')),
    file: maybe(text('Where the token is; not there if none was issued.')),
    problems,
  },
);

export const tokenInspection = report(
  'token-inspection',
  { title: 'Report of gwconf token inspect -o json', description: 'What a token says about itself.' },
  {
    result: words(
      ['ok', 'expiring', 'expired', 'error'],
      'expiring: within --warn-within; error: there is no token, or several.',
    ),
    signatureChecked: exactly(false, 'Only the gateway can check it.'),
    header: maybe(open()),
    claims: maybe(open()),
    expiresAt: maybe(time('ISO 8601; not there if the token does not say.')),
    secondsLeft: maybe(integer('Negative after that time.')),
    problems,
  },
);
