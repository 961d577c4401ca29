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
  described,
  nullable,
  numbers,
  position,
} from '../../model/shape.ts';
import { action, affected, counts, undo } from '../../plan/shapes.ts';
import { problems, report, environment, problem } from './shared.ts';

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

export const runChange = define(
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
    changes: list(runChange, 'In the order of the plan.'),
  },
);

export const runsReport = report(
  'runs-report',
  { title: 'Report of gwconf journal -o json', description: 'The runs that have a journal.' },
  { runs: list(run, 'Newest first.'), problems },
);

const OUTCOMES = ['done', 'already', 'failed', 'blocked', 'not-attempted'] as const;

const outcomes = define(
  'outcomes',
  object(
    { ...counts.properties, ...numbers(OUTCOMES) },
    'What the plan held, in objects; and what became of its changes, extra steps included.',
  ),
);

export const entry = define(
  'entry',
  object(
    {
      address,
      action,
      outcome: words(OUTCOMES),
      step: maybe(text('An extra step that the order needed.')),
      reason: maybe(text('Why there was that step.')),
      removal: maybe(text('Of a delete that a file asks for by name: its reason.')),
      movedTo: maybe(described('Of a delete: what takes its place.', address)),
      at: maybe(position),
      by: maybe(list(text(), 'Of blocked: what it waited for.')),
      problem: maybe(described("Of failed: the gateway's own words.", problem)),
    },
    'What became of one change.',
    {
      allOf: [
        { if: { properties: { outcome: { const: 'failed' } } }, then: { required: ['problem'] } },
        { if: { properties: { outcome: { const: 'blocked' } } }, then: { required: ['by'] } },
      ],
    },
  ),
);

export const unprotected = define(
  'unprotected',
  object({
    virtualCluster: text(),
    username: nullable('Null for all other clients of the virtual cluster.'),
    groups: list(text(), 'The groups that it would have after the run.'),
    externalGroup: maybe(text('Set for clients in this group of the identity provider.')),
    identity: affected.identity,
    protection: text('The protection type, such as masking.'),
    lost: list(text(), 'The addresses of the interceptors that gave it before.'),
    from: text('The change that took it away.'),
  }),
);

export const applyReport = report(
  'apply-report',
  { title: 'Report of gwconf apply -o json', description: 'What became of a plan.' },
  {
    result: words(['applied', 'no-changes', 'partial', 'failed', 'stale', 'blocked', 'interrupted', 'error']),
    gateway: text('The URL of the gateway, without credentials.'),
    environment,
    summary: outcomes,
    ledger: list(entry, 'Every change, in the order of the plan; empty when none was tried.'),
    unprotected: maybe(
      list(
        unprotected,
        'The protection that clients lack now; present if the run ended before all changes were made, and some lack one.',
      ),
    ),
    undo: maybe(
      object(
        {
          ...undo.properties,
          needs: maybe(
            object(
              { deletes: maybe(count()), updates: maybe(count()) },
              'The limits that would stop it, as --max-deletes and --max-updates; absent where nothing was changed.',
            ),
          ),
        },
        'How the run is taken back: gwconf undo RUN; absent where no journal was kept.',
      ),
    ),
    problems,
  },
);
