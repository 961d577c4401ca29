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
import { problems, report } from './shared.ts';

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

const about = {
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

export const drift = define('drift', object(about, 'One object that is not as declared.'));

export const accepted = define(
  'accepted',
  object(
    {
      ...about,
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
