import {
  address,
  count,
  define,
  described,
  exactly,
  list,
  mapOf,
  maybe,
  object,
  oneBy,
  open,
  pointer,
  position,
  flag,
  text,
  time,
  words,
} from '../../model/shape.ts';
import {
  affected,
  base,
  bounds,
  cause,
  causes,
  chains,
  counts,
  field,
  leftAlone,
  loss,
  stage,
  undo,
  verdicts,
  weakness,
} from '../shapes.ts';

const resource = define(
  'resource',
  object(
    {
      apiVersion: text(),
      kind: text(),
      metadata: object({ name: text() }, undefined, { additionalProperties: true }),
      spec: open(),
    },
    'A resource as the gateway takes it. Secrets stand as (hidden).',
  ),
);

const template = define(
  'template',
  object(
    {
      text: text('The scalar as written, with its placeholders.'),
      plain: flag('Unquoted and one placeholder: it takes the type that YAML gives the value.'),
      variables: list(text(), 'The variables that gave part of the value.'),
    },
    'Where a value came from that was not written in the file as it is.',
  ),
);

const marks = {
  templates: maybe(
    define(
      'templates',
      mapOf(template, 'Fields that ${…} filled in, by their pointer in after.', { propertyNames: pointer }),
    ),
  ),
  formerSecrets: maybe(
    define(
      'formerSecrets',
      list(
        pointer,
        'Places in before of values of variables that the files no longer have there; * stands for an index.',
      ),
    ),
  ),
};

export const source = define(
  'source',
  object(
    {
      digest: text('Salted and slow; tells whether the secret is still the same.'),
      template: maybe(template),
      file: maybe(text('Where it is read again from.')),
      document: maybe(count('Which document of the file, counted from 0.')),
      path: maybe(pointer),
      live: maybe(
        described('It is on the gateway, in the object itself: a pointer with * for each index.', pointer),
      ),
    },
    'Where a secret comes from.',
  ),
);

const about = {
  address,
  kind: text(),
  stage,
  dependsOn: list(text()),
  at: maybe(described('Where files ask for it; a delete has no place.', position)),
  reason: maybe(text()),
  ...marks,
  cause: maybe(causes),
  fieldCauses: maybe(
    mapOf(cause, 'Only of a change with several causes: that of each field, by its op and path.'),
  ),
};

const difference = { before: resource, after: resource, fields: list(field), verdicts: maybe(verdicts) };

const secrets = maybe(
  mapOf(source, 'Where each secret of after comes from, by its pointer.', { propertyNames: pointer }),
);

const halfway = maybe(
  text('In an undo: a digest of what the run has made of the object for a moment, in an extra step.'),
);

/** What apply compares with the gateway: one of the first two. */
const checks = {
  basis: maybe(
    text(
      'A digest of the object as the plan saw it, and the salts of its secrets; apply stops when it is another one.',
    ),
  ),
  result: maybe(text('In an undo, instead of basis: a digest of what the run has made of the object.')),
  halfway,
};
const checked = { oneOf: [{ required: ['basis'] }, { required: ['result'] }] };

const change = define(
  'savedChange',
  oneBy(
    'action',
    [
      object({
        action: exactly('create'),
        ...about,
        after: resource,
        secrets,
        halfway,
        movedFrom: maybe(described('Of a create: whose place it takes.', address)),
        step: maybe(exactly('bridge')),
      }),
      object(
        {
          action: exactly('update'),
          ...{ ...about, ...difference, ...checks, secrets },
          step: maybe(words(['release', 'expand'])),
        },
        undefined,
        checked,
      ),
      object(
        { action: exactly('replace'), ...about, ...difference, ...checks, secrets, because: list(pointer) },
        undefined,
        checked,
      ),
      object(
        {
          action: exactly('delete'),
          ...about,
          before: resource,
          ...checks,
          removal: maybe(text('Of a delete that a file asks for by name: its reason.')),
          movedTo: maybe(described('Of a delete: what takes its place.', address)),
          step: maybe(exactly('unbridge')),
        },
        undefined,
        checked,
      ),
    ],
    'One change, in the order in which apply makes it.',
  ),
);

const principals = list(define('principal', object(affected, 'A client of the gateway.')));

const reliance = define(
  'reliance',
  object({
    address,
    kind: text(),
    basis: text('A digest of the live object that the plan saw.'),
    ...marks,
  }),
);

const warning = object({
  code: text(undefined, {
    pattern: '^(similar-names|shared-prefix|taken-over-loss|unknown-causes|policy/.*)$',
  }),
  severity: exactly('warning'),
  message: text(),
  address: maybe(text()),
  hint: maybe(text()),
});

export const savedPlan = object(
  {
    format: exactly('gwconf/plan@1'),
    tool: text('gwconf and its version.'),
    createdAt: time('ISO 8601.'),
    salt: text('For the digests of secrets; drawn anew for each plan.'),
    warnings: maybe(list(warning, 'Warnings that nothing else in the plan tells.')),
    environment: maybe(text('The environment of gwconf.yaml that it is for, where there was one.')),
    partOf: maybe(
      object(
        { id: text('Of this run alone.'), environments: list(text()) },
        'The run that has planned several environments, and all of them.',
      ),
    ),
    origin: maybe(
      object({ repository: maybe(text()), commit: maybe(text()) }, 'Where it was made, if CI says so.'),
    ),
    expiresAt: maybe(time('ISO 8601; it is not applied later than this.')),
    input: maybe(
      text(
        'A salted, slow digest of the files that it was made of; gwconf show PLAN -f PATH holds files against it.',
      ),
    ),
    undoes: maybe(described('Only of the undo of a run.', undo)),
    undoesPlan: maybe(text('Only of the undo of a run: the digest of the plan of that run.')),
    gateway: text('The URL of the gateway that it is for.'),
    base: maybe(object(base, 'Only with --base: what the causes of changes are relative to.')),
    selection: object({ target: list(text()), exclude: list(text()) }),
    ...bounds,
    summary: counts,
    changes: list(change),
    effects: maybe(
      list(
        object({ principals, ...chains }, 'Clients whose interceptors change.'),
        'What changes for clients: those with the same interceptors before and after together. Absent if there are none.',
      ),
    ),
    exposures: maybe(
      list(
        object({ principals, ...loss }, 'Clients that lose a protection type.'),
        'The protection that clients lose, permanently or until a later change. Absent if there are none.',
      ),
    ),
    weakenings: maybe(
      list(
        object({ principals, ...weakness }, 'Clients whose protection does less.'),
        'The protection that gets weaker, or of which that cannot be told. Absent if there is none.',
      ),
    ),
    kinds: maybe(
      open(
        'Only of changes of kinds that gwconf does not know: what the gateway says of them, OpenAPI. Apply asks the gateway itself.',
      ),
    ),
    topics: maybe(
      list(
        text(undefined, { pattern: '^[\\w.-]{1,249}$' }),
        'Only of changes that concern clients: the topics that patterns were judged by, beside alias and concentrated topics. Absent without a file of topics.',
      ),
    ),
    relies: list(
      reliance,
      'What the changes refer to and the plan leaves as it is, each object once; apply checks that it has not changed.',
    ),
    ...leftAlone,
    unselected: count('How many objects the selection left out.'),
    managed: mapOf(count(), 'How many objects of each kind were managed; limits in percent refer to them.'),
    digest: text('Over all of the above; finds accidents.'),
    mac: maybe(
      text('HMAC-SHA256 over the same with GWCONF_PLAN_KEY, in hex; finds forgers.', {
        pattern: '^[0-9a-f]{64}$',
      }),
    ),
    signature: maybe(
      text('Ed25519 signature of the digest with GWCONF_PLAN_PRIVATE_KEY, in base64; finds forgers.', {
        pattern: '^[A-Za-z0-9+/]{86}==$',
      }),
    ),
  },
  'All that gwconf apply FILE needs, without a secret. Minor versions of gwconf may add fields; consumers pass over those that they do not know.',
  { title: 'A plan saved by gwconf plan --out' },
);
