import {
  address,
  anything,
  count,
  define,
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
import { problems, report, selection } from './shared.ts';

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

const about = {
  address,
  kind: text(),
  difference: words(['only-from', 'only-to', 'differs']),
  at: maybe(object({ from: maybe(position), to: maybe(position) }, 'Where files declare it.')),
  fields: list(differingField, 'Only of what both sides have.'),
};

export const difference = define(
  'difference',
  object(about, 'An object that only one side has, or that differs.'),
);

export const expected = define('expected', object({ ...about, reason: text() }, 'What is meant to differ.'));

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
