import {
  address,
  anything,
  count,
  define,
  described,
  exactly,
  list,
  maybe,
  numbers,
  object,
  oneBy,
  pointer,
  position,
  text,
  words,
} from '../../model/shape.ts';
import {
  action,
  affected,
  base,
  bounds,
  cause,
  causes,
  chains,
  counts,
  leftAlone,
  loss,
  stage,
  undo,
  verdicts,
  weakness,
} from '../../plan/shapes.ts';
import { environment, gateway, problems, report, selection } from './shared.ts';

/** What a plan covers. */
export const scope = { gateway, environment, selection, manages: bounds.manages };

const caused = { cause: maybe(described('Only of a field of a change with several causes.', cause)) };

export const field = define(
  'field',
  oneBy(
    'op',
    [
      object({ op: exactly('add'), path: pointer, after: anything(), ...caused }),
      object({ op: exactly('remove'), path: pointer, before: anything(), ...caused }),
      object({ op: exactly('set'), path: pointer, before: anything(), after: anything(), ...caused }),
    ],
    'One field that differs. Secrets stand as (hidden).',
  ),
);

export const change = define(
  'change',
  object(
    {
      action,
      address,
      kind: text(),
      at: maybe(described('Where files ask for it; a delete has no place.', position)),
      stage,
      dependsOn: list(
        text(),
        'What must have been done before: addresses, with the step in parentheses where it is one.',
      ),
      step: maybe(text('An extra step that the order needs; it is not counted in summary.')),
      reason: maybe(text('Why there is that step.')),
      removal: maybe(text('Of a delete that a file asks for by name: its reason.')),
      movedFrom: maybe(described('Of a create: whose place it takes.', address)),
      movedTo: maybe(described('Of a delete: what takes its place.', address)),
      because: maybe(list(pointer, 'Of a replace: the fields that the gateway will not change in place.')),
      secrets: maybe(verdicts),
      cause: maybe(causes),
      fields: list(field, 'The fields that differ; of what is created or deleted, each field of its spec.'),
    },
    'One change, in the order in which apply makes it.',
  ),
);

export const exposure = object(
  {
    ...affected,
    ...loss,
    calls: maybe(
      count(
        'How many calls to the gateway it lasts, if they are made in the order of the plan; absent if it is lasting.',
        1,
      ),
    ),
  },
  'A client that loses a protection type, permanently or until a later change.',
);

export const weakening = object(
  { ...affected, ...weakness },
  'A client that keeps a protection type, which does less, or of which that cannot be told.',
);

export const effect = object({ ...affected, ...chains }, 'A client whose interceptors change.');

export const risk = object({
  address,
  risk: words(
    ['chaos', 'everyone', 'identity', 'other-data', 'protection-loss', 'access-control-loss', 'data-loss'],
    'chaos: clients are disturbed on purpose; everyone: it applies to all clients; identity: another client is the account; other-data: its clients read and write other data; the others are losses.',
  ),
  message: text('Goes on after the address.'),
});

const actionCounts = define('actionCounts', object(numbers(['create', 'update', 'replace', 'delete'])));

const causeCounts = object(
  {
    branch: actionCounts,
    drift: actionCounts,
    'base-or-drift': actionCounts,
    base: actionCounts,
    behind: maybe(actionCounts),
  },
  'Numbers of objects by cause. An object with several causes counts for the first of them in this order. Absent when the causes are unknown.',
);

/** The snapshot that was compared. */
export const snapshot = maybe(
  object(
    {
      takenAt: text('ISO 8601.'),
      ageSeconds: count('How old the snapshot was when the plan was made.'),
      cannotTell: count('Fields whose value is not known here, and which count as unchanged.'),
    },
    'Only of gwconf plan --snapshot, which asks no gateway.',
  ),
);

export const planReport = report(
  'plan-report',
  {
    title: 'Report of gwconf plan -o json and gwconf show -o json',
    description: 'The difference between files and gateway. Secrets stand as (hidden).',
  },
  {
    result: words(['changes', 'no-changes', 'blocked', 'stale', 'error']),
    ...scope,
    snapshot,
    prune: bounds.prune,
    base: maybe(
      object(
        { ...base, causes: maybe(causeCounts) },
        'Only with --base: what the causes of changes are relative to.',
      ),
    ),
    undoes: maybe(described('Only of the undo of a run.', undo)),
    limits: bounds.limits,
    summary: counts,
    risks: list(risk, 'Consequences of changes that deserve a look before others.'),
    exposures: maybe(
      list(
        exposure,
        'The protection that clients lose, permanently or until a later change. Absent if there are none.',
      ),
    ),
    weakenings: maybe(
      list(
        weakening,
        'The protection that gets weaker, or of which that cannot be told. Absent if there is none.',
      ),
    ),
    effects: maybe(list(effect, 'The clients whose interceptors change. Absent if there are none.')),
    changes: list(change),
    ...leftAlone,
    problems,
  },
);

const neighbour = object({ change: text('As dependsOn of a plan names it.'), action: maybe(action) });

export const explained = define(
  'explained',
  object(
    {
      action,
      change: text('The address, with the extra step in parentheses where it is one.'),
      why: text('Why the plan has it.'),
      causes: maybe(
        list(object({ cause, path: maybe(pointer) }), 'Who caused it: once, or for each field that differs.'),
      ),
      order: maybe(text('Why it has its place, where another rule than what it depends on decides.')),
      at: maybe(position),
      position: count('From 1.', 1),
      stage,
      dependsOn: list(neighbour, 'What must have been done before.'),
      requiredBy: list(neighbour, 'What waits for it.'),
    },
    'A change of the object: why it is in the plan, and why at its place.',
  ),
);

export const explainReport = report(
  'explain-report',
  {
    title: 'Report of gwconf plan --explain and show --explain -o json',
    description: 'Why a plan changes an object, or leaves it alone.',
  },
  {
    result: words(['changes', 'no-changes', 'blocked', 'error', 'stale'], 'Of the plan.'),
    gateway,
    environment,
    snapshot,
    address: text('As it was asked for.'),
    summary: object(
      {
        changes: count('Of the whole plan.'),
        firstStage: count('Those of stage 1, before the deletes of stage 2.'),
      },
      'Numbers of changes, extra steps among them.',
    ),
    explained: list(explained, 'In their order; several where the order needs an extra step.'),
    unchanged: list(
      object({
        why: words(
          ['undeclared', 'unclaimed', 'ignored', 'unmanaged'],
          'undeclared: this branch does not declare it any more; unclaimed: managed by this project, and in no file (orphaned); ignored: by a rule; unmanaged: not managed by this project.',
        ),
        message: text('The same as a sentence.'),
      }),
      'Why the plan leaves it alone; empty if it does not.',
    ),
    problems,
  },
);

export const normalisation = define(
  'normalisation',
  object(
    {
      kind: text(),
      reason: words(
        ['unknown-field', 'null', 'server-managed', 'spelling', 'default', 'case', 'order'],
        'unknown-field: gwconf does not know it. null: for a field that is not there. server-managed: the gateway owns it. spelling: another one of the same. default: filled in. case: upper and lower. order: of a set.',
      ),
      path: text('A JSON Pointer with * for each index of a list.'),
      count: count(undefined, 1),
    },
    'How often a field is compared in another spelling than the gateway has it.',
  ),
);

const selftestCounts = define(
  'selftestCounts',
  object({
    objects: count('Live, and compared with themselves.'),
    differences: count('Objects that differ from themselves.'),
    normalised: count('Fields that only looked different.'),
  }),
);

export const selftestReport = report(
  'selftest-report',
  {
    title: 'Report of gwconf selftest -o json',
    description: 'What is live, compared with itself. Secrets stand as (hidden).',
  },
  {
    result: words(['no-differences', 'differences', 'blocked', 'error']),
    gateway,
    summary: selftestCounts,
    unavailable: list(text(), 'Kinds that the gateway does not serve, and so were not tested.'),
    normalisations: list(normalisation),
    changes: list(change, 'What a plan of the gateway against itself would change: nothing, if all is well.'),
    problems,
  },
);
