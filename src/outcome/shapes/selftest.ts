import { count, define, list, object, text, words } from '../../model/shape.ts';
import { change } from './plan.ts';
import { gateway, problems, report } from './shared.ts';

export const normalisation = define(
  'normalisation',
  object(
    {
      kind: text(),
      reason: words(
        ['unknown-field', 'null', 'server-managed', 'spelling', 'default', 'case', 'order'],
        'unknown-field: gwconf does not know it. null: for a field that is not there. server-managed: the gateway owns it. spelling: another one of the same. default: filled in. case: upper and lower. order: of a set.',
      ),
      path: text('A JSON Pointer with * for each index of a list.'),
      count: count(undefined, 1),
    },
    'How often a field is compared in another spelling than the gateway has it.',
  ),
);

const selftestCounts = define(
  'selftestCounts',
  object({
    objects: count('Live, and compared with themselves.'),
    differences: count('Objects that differ from themselves.'),
    normalised: count('Fields that only looked different.'),
  }),
);

export const selftestReport = report(
  'selftest-report',
  {
    title: 'Report of gwconf selftest -o json',
    description: 'What is live, compared with itself. Secrets stand as (hidden).',
  },
  {
    result: words(['no-differences', 'differences', 'blocked', 'error']),
    gateway,
    summary: selftestCounts,
    unavailable: list(text(), 'Kinds that the gateway does not serve, and so were not tested.'),
    normalisations: list(normalisation),
    changes: list(change, 'What a plan of the gateway against itself would change: nothing, if all is well.'),
    problems,
  },
);
