import {
  address,
  count,
  define,
  integer,
  list,
  maybe,
  object,
  text,
  time,
  words,
} from '../../model/shape.ts';
import { action } from '../../plan/shapes.ts';
import { problems, report } from './shared.ts';

export const run = define(
  'run',
  object(
    {
      run: text('Its name; names sort by time.', {
        pattern: '^(\\d{4,}-)?\\d{8}T\\d{6}\\.\\d{3}Z-[a-z0-9]{1,4}$',
      }),
      number: maybe(integer('Its number, which commands take in place of its name.')),
      startedAt: time(),
      by: maybe(text('Who began it: the user, or the one who started the job.')),
      commit: maybe(text('The commit that its plan was made of.')),
      branch: maybe(text()),
      gateway: text('Its URL, without credentials.'),
      environment: maybe(text('The environment of gwconf.yaml, where there was one.')),
      undoes: maybe(text('The run that it takes back.')),
      result: words(
        ['applied', 'no-changes', 'partial', 'failed', 'interrupted', 'unfinished'],
        'As apply told it; unfinished when it is still going on, or was killed.',
      ),
      changes: count('How many changes its plan has, extra steps included.'),
      counts: maybe(
        object(
          { create: count(), update: count(), replace: count(), delete: count() },
          'How many objects its plan creates, updates, replaces and deletes.',
        ),
      ),
      done: count('How many of them came true, by this run or before it.'),
      failed: count(),
      inFlight: count(
        'How many objects have a call without an answer: only the gateway can tell what came of it.',
      ),
    },
    'A run: one apply, and what went on with it.',
  ),
);

export const change = define(
  'change',
  object(
    {
      address,
      action,
      step: maybe(text('An extra step that the order needed.')),
      known: words(
        ['done', 'already', 'in-flight', 'half', 'failed', 'blocked', 'not-attempted'],
        'As the ledger says; in-flight when only the gateway can tell what came of it; half when a replace has deleted and not created anew.',
      ),
      why: maybe(text("Of failed: the gateway's own words.")),
    },
    'What is known of one change.',
  ),
);

export const runReport = report(
  'run-report',
  { title: 'Report of gwconf journal RUN -o json', description: 'What the journal of a run tells.' },
  {
    run,
    finishedAt: maybe(time()),
    sittings: list(
      object({ at: time(), tool: text(), pid: integer(), host: text() }),
      'Who carried it out: the first began it, the others resumed it.',
      { minItems: 1 },
    ),
    changes: list(change, 'In the order of the plan.'),
  },
);

export const runsReport = report(
  'runs-report',
  { title: 'Report of gwconf journal -o json', description: 'The runs that have a journal.' },
  { runs: list(run, 'Newest first.'), problems },
);
