import {
  address,
  count,
  define,
  described,
  list,
  maybe,
  object,
  position,
  text,
  words,
} from '../../model/shape.ts';
import { priority, weaker } from '../../plan/shapes.ts';
import { lazily, oneOrMore, principal, problems, report } from './shared.ts';

export const link = object({
  address,
  pluginClass: text(),
  priority,
  protects: list(
    text(),
    'The protection types that it gives: encryption, masking, audit, access, safeguard, data-quality, and those of gwconf.yaml.',
  ),
  overrides: maybe(
    list(
      address,
      'With --why: interceptors of the same name that are for the client, too, and do not run because of this one.',
    ),
  ),
  at: maybe(described('With --why: where a file declares it.', position)),
  topic: maybe(
    object(
      { covers: words(['yes', 'unknown']), reason: text() },
      'With --topic: why it acts on the topic, or why that is not certain.',
    ),
  ),
});

const chain = define(
  'chain',
  list(link, 'Interceptors in the order in which they run; those of equal priority in any order.'),
);

export const chainOf = object({ ...principal, chain });

export const chainDrift = object({
  ...principal,
  declared: chain,
  live: chain,
  weaker: maybe(
    list(
      object({ ...weaker, by: described('The interceptor that gives it by the files.', address) }),
      'The declared protection that does less on the gateway, or of which that cannot be told. Absent if there is none.',
    ),
  ),
});

export const uncovered = object({
  topics: list(
    object({
      topic: text(),
      uncertain: list(
        address,
        'Protective interceptors of which it is not certain whether they act on the topic; empty: it has no protection.',
      ),
    }),
  ),
  principals: oneOrMore(object(principal), 'For whom it is so.'),
});

export const coverage = object(
  {
    protection: maybe(text('The protection type that was asked for; absent: any.')),
    uncovered: list(uncovered),
    interceptors: list(
      object({
        address,
        finding: words(
          ['unmatched', 'overridden', 'tied'],
          'unmatched: no known client is in its scope; overridden: others override it for all of them; tied: another one has its priority.',
        ),
        by: list(address, 'Those that override it, or one of its priority.'),
      }),
      'Interceptors that never run for a known client, or whose place in a chain is undefined.',
    ),
  },
  'With --uncovered: topics on which no protective interceptor acts.',
);

export const effectiveReport = report(
  'effective-report',
  { title: 'Report of gwconf effective -o json', description: 'Which interceptors run for each client.' },
  {
    result: words([
      'ok',
      'covered',
      'uncovered',
      'no-drift',
      'drift',
      'incomplete',
      'not-found',
      'error',
      'blocked',
      'stale',
    ]),
    source: words(['files', 'gateway'], 'Whether the chains are those of files or of a gateway.'),
    environment: maybe(text('The environment of gwconf.yaml.')),
    gateway: maybe(
      text(
        'With --live and --compare: the URL of the gateway, without credentials; empty when there is none to name.',
      ),
    ),
    topic: maybe(text('With --topic: the chains have only interceptors that act on this topic.')),
    summary: object({
      principals: count(),
      chains: count('How many different chains they have.'),
      drift: maybe(
        count('With --compare: how many have another chain, or perhaps weaker protection, on the gateway.'),
      ),
      unchecked: maybe(count('With --compare: for how many the gateway was not asked.')),
      unmanaged: maybe(
        count(
          'With --compare: how many interceptors on the gateway are not managed, and left out of the chains.',
        ),
      ),
      topics: maybe(count('With --uncovered: how many topics were looked at.')),
      uncovered: maybe(count('With --uncovered: how many topics have no protection for a client.')),
      uncertain: maybe(count('With --uncovered: how many others perhaps have none.')),
    }),
    principals: lazily(chainOf, 'By virtual cluster and name.'),
    drift: maybe(
      lazily(
        chainDrift,
        'With --compare: the clients that have another chain, or perhaps weaker protection, on the gateway.',
      ),
    ),
    coverage: maybe(coverage),
    problems,
  },
);
