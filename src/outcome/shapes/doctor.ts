import { count, list, maybe, object, open, text, words } from '../../model/shape.ts';
import { gateway, problems, report, unavailable } from './shared.ts';

export const doctorReport = report(
  'doctor-report',
  {
    title: 'Report of gwconf doctor -o json',
    description:
      'Settings with their sources, and what the checks of the gateway found. It has no secret. Minor versions may add checks.',
  },
  {
    result: words(
      ['ok', 'no-gateway', 'error', 'blocked', 'stale'],
      'error: a check or a setting has an error; warnings are ok.',
    ),
    gateway,
    summary: object(
      { ok: count(), warning: count(), error: count(), notChecked: count() },
      'How many findings have each status.',
    ),
    settings: list(
      object({
        name: text(),
        value: text('As people may see it: (set) for a secret, - for none.'),
        origin: text('The flag, variable or file that it comes from.'),
      }),
    ),
    objects: maybe(count('How many objects the gateway has; absent where they could not be listed.')),
    unavailable,
    checks: list(
      object({
        check: text(
          'reachable, certificates, credentials, rights, version, security, live, ready, health, clock or latency.',
        ),
        status: words(['ok', 'warning', 'error', 'not-checked']),
        message: text('What was found, or why it was not checked.'),
        hint: maybe(text('What to do.')),
        values: maybe(
          open(
            'The same for programs: rights (admin or read-only), version, protocol, daysLeft, differenceMs, medianMs and others.',
          ),
        ),
      }),
      'In the order of the checks; a check can have several findings.',
    ),
    problems,
  },
);
