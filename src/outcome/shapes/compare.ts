import {
  address,
  anything,
  count,
  define,
  described,
  oneBy,
  exactly,
  list,
  maybe,
  numbers,
  object,
  pointer,
  position,
  text,
  words,
} from '../../model/shape.ts';
import { scope } from './plan.ts';
import { problems, report, selection } from './shared.ts';

const SORTS = ['missing', 'changed', 'unclaimed', 'remaining'] as const;

const MOVED =
  'Who moved, by the history in git or the last run; absent where neither tells. files: they have changed, in a commit or since, and that is not applied yet. gateway: it has what neither explains. With since: gateway, if it has changed since the snapshot; files, if it has not.';

const driftField = define(
  'driftField',
  object(
    {
      path: pointer,
      declared: maybe(anything()),
      live: maybe(anything()),
      moved: maybe(words(['files', 'gateway'], 'Only of an object whose fields differ in it.')),
    },
    'One field that is not as declared; what is on one side only leaves the other out. Secrets stand as (hidden).',
  ),
);

const ofDrift = {
  address,
  kind: text(),
  drift: words(
    SORTS,
    'missing: declared and not there; changed: there, and not as declared; unclaimed: there, managed by this project, and in no file (orphaned); remaining: there, though a file removes it.',
  ),
  at: maybe(described('Where files declare it; an orphaned object has no place.', position)),
  moved: maybe(words(['files', 'gateway', 'mixed'], `${MOVED} mixed: its fields differ in it.`)),
  fields: list(driftField, 'Only of what was changed.'),
};

export const drift = define('drift', object(ofDrift, 'One object that is not as declared.'));

export const accepted = define(
  'accepted',
  object(
    {
      ...ofDrift,
      reason: text(),
      owner: text(),
      expires: text('YYYY-MM-DD, the last day on which it is accepted.'),
    },
    'Drift that somebody answers for.',
  ),
);

export const unchecked = define(
  'unchecked',
  oneBy(
    'reason',
    [
      object({
        reason: exactly('unavailable'),
        kind: text(),
        words: text("The gateway's own."),
        objects: count('How many objects of it the files declare or remove: nobody looked at these.'),
      }),
      object({
        reason: exactly('cannot-tell', 'A variable of the field is not set.'),
        address,
        path: pointer,
      }),
    ],
    'What could not be compared.',
  ),
);

const driftCounts = define(
  'driftCounts',
  object(
    numbers([...SORTS, 'accepted', 'ignored', 'unchecked', 'asDeclared', 'unmanaged']),
    'How many objects; of accepted and unchecked, how many entries.',
  ),
);

export const driftReport = report(
  'drift-report',
  {
    title: 'Report of gwconf drift -o json',
    description: 'What is live and not as declared. Secrets stand as (hidden).',
  },
  {
    result: words(
      ['drift', 'no-drift', 'incomplete', 'blocked', 'error'],
      'incomplete: no drift was found, and the gateway does not serve a kind that files declare or remove.',
    ),
    ...scope,
    since: maybe(text('When the snapshot of --since was taken, ISO 8601: it tells who moved since.')),
    summary: driftCounts,
    drift: list(drift, 'What counts.'),
    accepted: list(accepted, 'What accepted-drift.yaml answers for.'),
    unchecked: list(unchecked, 'What could not be compared.'),
    problems,
  },
);

export const source = define(
  'source',
  object(
    {
      name: text('As it was named on the command line.'),
      type: maybe(words(['files', 'live', 'snapshot'], 'Absent if it could not be opened.')),
      environment: maybe(text()),
      gateway: maybe(text('Of a gateway or snapshot: the URL, without credentials.')),
      takenAt: maybe(text('Of a snapshot, ISO 8601.')),
    },
    'One of the two that were compared.',
  ),
);

const differingField = define(
  'differingField',
  object(
    {
      path: pointer,
      from: maybe(anything()),
      to: maybe(anything()),
      secret: maybe(exactly(true, 'Both values are secrets, which differ.')),
    },
    'A field that differs; what one side does not have is absent.',
  ),
);

const ofDifference = {
  address,
  kind: text(),
  difference: words(['only-from', 'only-to', 'differs']),
  at: maybe(object({ from: maybe(position), to: maybe(position) }, 'Where files declare it.')),
  fields: list(differingField, 'Only of what both sides have.'),
};

export const difference = define(
  'difference',
  object(ofDifference, 'An object that only one side has, or that differs.'),
);

export const expected = define(
  'expected',
  object({ ...ofDifference, reason: text() }, 'What is meant to differ.'),
);

export const uncompared = define(
  'uncompared',
  oneBy(
    'reason',
    [
      object({
        reason: exactly('unavailable'),
        side: words(['from', 'to']),
        kind: text(),
        words: text("The gateway's own."),
        objects: count('How many objects of it the other side has: nobody compared these.'),
      }),
      object({
        reason: exactly('cannot-tell'),
        address,
        path: pointer,
        because: words(
          ['variable', 'digest'],
          'variable: it has no value here; digest: a snapshot has only a digest of the secret.',
        ),
      }),
    ],
    'What could not be compared.',
  ),
);

const diffCounts = define(
  'diffCounts',
  object(
    numbers(['onlyFrom', 'onlyTo', 'differs', 'same', 'expected', 'ignored', 'unmanaged', 'uncompared']),
    'Numbers of objects; expected, ignored and uncompared are numbers of entries.',
  ),
);

export const diffReport = report(
  'diff-report',
  {
    title: 'Report of gwconf diff --from --to -o json',
    description: 'How two environments, gateways or snapshots differ. Secrets stand as (hidden).',
  },
  {
    result: words(
      ['differs', 'no-differences', 'incomplete', 'blocked', 'error'],
      'incomplete: no difference was found, and one side does not serve a kind of which the other has objects.',
    ),
    from: source,
    to: source,
    selection,
    summary: diffCounts,
    differences: list(difference, 'By address.'),
    expected: list(expected, 'What differs in gwconf.yaml sets apart.'),
    uncompared: list(uncompared, 'What could not be compared.'),
    problems,
  },
);
