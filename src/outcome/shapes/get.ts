import { count, mapOf, maybe, object, text, words } from '../../model/shape.ts';
import { lazily } from './lazily.ts';
import { gateway, problems, report, resource, unavailable } from './shared.ts';

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
