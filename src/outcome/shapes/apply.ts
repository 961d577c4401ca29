import {
  address,
  count,
  define,
  described,
  list,
  maybe,
  nullable,
  numbers,
  object,
  position,
  text,
  words,
} from '../../model/shape.ts';
import { action, affected, counts, undo } from '../../plan/shapes.ts';
import { environment, problem, problems, report } from './shared.ts';

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
