import { list, maybe, object, text, words } from '../../model/shape.ts';
import { problems, report } from './shared.ts';

export const switchReport = report(
  'switch-report',
  {
    title: 'Report of gwconf cluster switch -o json',
    description: 'Which instances of a gateway were switched to another physical cluster.',
  },
  {
    result: words(
      ['ok', 'partial', 'failed', 'interrupted', 'error', 'stale', 'blocked', 'unchanged'],
      'partial: some instances did; failed: none did; unchanged: not approved.',
    ),
    from: text(),
    to: text(),
    instances: list(
      object({
        url: text(),
        version: maybe(text()),
        status: words(
          ['switched', 'accepted', 'unconfirmed', 'failed', 'not-attempted'],
          'switched: it was read back; accepted: it cannot be; unconfirmed: accepted, and reads otherwise.',
        ),
        message: maybe(text()),
      }),
    ),
    problems,
  },
);
