import type { TSchemaOptions } from 'typebox';
import { count, flag, list, maybe, object, text, time, words } from '../model/shape.ts';

// The one source of the custom resource: its type, the schema that the API server checks, and the tables of the documentation.

/** A rule of CEL, which the API server checks. */
function rules(...all: readonly (readonly [rule: string, message: string])[]): TSchemaOptions {
  return { 'x-kubernetes-validations': all.map(([rule, message]) => ({ rule, message })) };
}

/** What names an object of Kubernetes. */
const NAME = { maxLength: 253, pattern: '^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$' };
const PATH = { minLength: 1, maxLength: 1024 };

export const DIGEST = '^sha256:[0-9a-f]{64}$';

const source = object(
  {
    configMap: maybe(object({ name: text('Its name.', NAME) }, 'A ConfigMap: each key is a file.')),
    flux: maybe(
      object(
        {
          kind: words(['GitRepository', 'OCIRepository', 'Bucket'], 'The kind of the source.'),
          name: text('Its name.', NAME),
          path: maybe(text('The folder of the project within it. Default: its root.', PATH)),
        },
        'A source of Flux, in the same namespace.',
      ),
    ),
    folder: maybe(
      text('A mounted folder, within one that `gwconf controller --folder` names.', {
        ...PATH,
        ...rules(["self.startsWith('/')", 'a folder is an absolute path']),
      }),
    ),
  },
  'Where the files are: one of `configMap`, `flux` and `folder`.',
  rules([
    '[has(self.configMap), has(self.flux), has(self.folder)].filter(x, x).size() == 1',
    'exactly one of configMap, flux and folder is needed',
  ]),
);

const gateway = object(
  {
    url: text('The URL of its admin API.', {
      minLength: 1,
      maxLength: 2048,
      ...rules(
        [
          "self.startsWith('https://') || self.startsWith('http://')",
          'a URL begins with https:// or http://',
        ],
        ["!self.contains('@')", 'credentials belong in a Secret, which credentialsSecret names'],
      ),
    }),
    credentialsSecret: maybe(text('A Secret with `user` and `password`.', NAME)),
    caSecret: maybe(text('A Secret with `ca.crt`, which certificates of the gateway are checked by.', NAME)),
    clientCertificateSecret: maybe(text('A Secret with `tls.crt` and `tls.key`, for mutual TLS.', NAME)),
  },
  'The gateway. Secrets are in the same namespace.',
);

export const spec = object(
  {
    source,
    environment: maybe(
      text('The environment of gwconf.yaml. Default: the only one that there is.', { maxLength: 253 }),
    ),
    gateway,
    variablesFrom: maybe(
      list(
        object({ secret: text('The name of a Secret.', NAME) }),
        'Secrets, each key of which is a variable of files: `${NAME}`. Later ones win. Files have no other variables.',
        { maxItems: 20 },
      ),
    ),
    mode: maybe(
      words(
        ['plan', 'approve', 'apply'],
        '`plan` only reports; `approve` applies a plan whose digest is in `approvedPlan`; `apply` applies each plan.',
        { default: 'plan' },
      ),
    ),
    approvedPlan: maybe(text('With `approve`: the digest of the plan to apply.', { pattern: DIGEST })),
    interval: maybe(
      text('How often to look at the gateway, such as `10m`; at least `10s`.', {
        default: '10m',
        maxLength: 10,
        pattern: '^[0-9]+(s|m|h)$',
        ...rules(["duration(self) >= duration('10s')", 'an interval is at least 10s']),
      }),
    ),
    suspend: maybe(flag('Whether to do nothing for now.', { default: false })),
    prune: maybe(
      flag(
        'Whether to delete what the environment manages and no file declares, and with this resource all that its files declare.',
        { default: false },
      ),
    ),
  },
  'What to keep on a gateway, and how.',
);

const condition = object({
  type: text('`Ready`, `Reconciling` or `Stalled`.'),
  status: words(['True', 'False', 'Unknown']),
  observedGeneration: maybe(count()),
  lastTransitionTime: time('When the status last changed.'),
  reason: text('One word for programs.'),
  message: text('For people.'),
});

export const status = object({
  observedGeneration: maybe(count('The generation of the spec that this status is about.')),
  conditions: maybe(
    list(condition, '`Ready`, and while they are true `Reconciling` and `Stalled`.', {
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
    }),
  ),
  lastHandledReconcileAt: maybe(text('The last request by annotation that was handled.')),
  lastAttemptedRevision: maybe(text('The revision of the files that was last read.')),
  lastAppliedRevision: maybe(text('The revision that the gateway was last brought to.')),
  lastAppliedGateway: maybe(
    text(
      'The gateway of that revision, or of the last change: with the resource, `prune` deletes on this one only.',
    ),
  ),
  lastAppliedPlan: maybe(
    text(
      'The digest of the last plan that changed something, or that was approved when nothing was left to change: it needs another approval.',
    ),
  ),
  changes: maybe(
    object(
      { total: count(), create: count(), update: count(), replace: count(), delete: count() },
      'What the last plan would change, or would still change after a run.',
    ),
  ),
  pendingPlan: maybe(
    object(
      {
        digest: text(
          'For `approvedPlan`. It covers every change, what clients would lose, other risks, the gateway, the versions of Secrets, and which plan came before.',
        ),
        summary: text('The counts.'),
        changes: list(text(), 'The first 20 changes, in their order.'),
        losses: list(
          text(),
          'The protection that clients would lose or have weaker, also where the files accept that, and of what that cannot be told; the first 10, and how many more.',
        ),
        risks: maybe(
          list(
            text(),
            'What else deserves a look, such as data that goes with its object; the first 10, and how many more.',
          ),
        ),
      },
      'The plan that waits for approval.',
    ),
  ),
  unprotected: maybe(
    list(
      text(),
      'The clients that an unfinished run left without a protection, and which one, until the gateway is as the files say.',
    ),
  ),
  drift: maybe(
    object(
      { count: count(), addresses: list(text(), 'The first 10.') },
      'What on the gateway is not as the files say, though they were applied, or are only planned.',
    ),
  ),
  lastRun: maybe(
    object(
      {
        result: text('How it ended, as a command ends.'),
        startedAt: time('When it began.'),
        at: time('When it ended.'),
        made: count('The changes that it made.'),
        calls: count('The calls that it made to the gateway.'),
        by: text('The replica.'),
      },
      'The last look at the gateway.',
    ),
  ),
  lastSuccess: maybe(time('When a look last ended well.')),
});
