import { count, exactly, integer, maybe, open, text, time, words } from '../../model/shape.ts';
import { gateway, problems, report } from './shared.ts';

export const tokenReport = report(
  'token-report',
  {
    title: 'Report of gwconf token issue -o json',
    description: 'What became of a request for a token. The token itself is in the file.',
  },
  {
    result: words(
      ['ok', 'error', 'blocked', 'stale'],
      'blocked: the lifetime is too long; stale: the environment is pinned to another host.',
    ),
    gateway,
    account: text('The address of the account.'),
    lifetimeSeconds: count(undefined, 1),
    expiresAt: maybe(time('ISO 8601; not there if no token was issued, or it does not say.')),
    file: maybe(text('Where the token is; not there if none was issued.')),
    problems,
  },
);

export const tokenInspection = report(
  'token-inspection',
  { title: 'Report of gwconf token inspect -o json', description: 'What a token says about itself.' },
  {
    result: words(
      ['ok', 'expiring', 'expired', 'error'],
      'expiring: within --warn-within; error: there is no token, or several.',
    ),
    signatureChecked: exactly(false, 'Only the gateway can check it.'),
    header: maybe(open()),
    claims: maybe(open()),
    expiresAt: maybe(time('ISO 8601; not there if the token does not say.')),
    secondsLeft: maybe(integer('Negative after that time.')),
    problems,
  },
);
