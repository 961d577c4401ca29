import { count, list, maybe, object, oneBy, text, words } from '../../model/shape.ts';
import { RESULTS, type Result } from '../verdict.ts';
import { applyReport } from './run.ts';
import { diffReport, driftReport } from './compare.ts';
import { effectiveReport } from './effective.ts';
import { explainReport, planReport, selftestReport } from './plan.ts';
import { testReport, validateReport } from './files.ts';
import { doctorReport } from './gateway.ts';
import { problems, report } from './shared.ts';

/** Written out, because the published types would have each report in full. */
type Members = readonly [
  typeof validateReport,
  typeof planReport,
  typeof explainReport,
  typeof applyReport,
  typeof driftReport,
  typeof diffReport,
  typeof effectiveReport,
  typeof selftestReport,
  typeof testReport,
  typeof doctorReport,
];

/** What can be asked of several environments. */
export const members: Members = [
  validateReport,
  planReport,
  explainReport,
  applyReport,
  driftReport,
  diffReport,
  effectiveReport,
  selftestReport,
  testReport,
  doctorReport,
];

const result = words(Object.keys(RESULTS) as Result[]); // the keys of a table

export const fleetReport = report(
  'fleet-report',
  {
    title: 'Report of a command for several environments with -o json',
    description: 'The outcome of each environment, and what they come to together.',
  },
  {
    command: text('The command, such as plan.'),
    result: words(Object.keys(RESULTS) as Result[], 'The worst of all.'),
    summary: object({
      environments: count(),
      results: list(
        object({ result, environments: count() }),
        'How many have which result, the worst first.',
      ),
    }),
    same: list(
      object({
        environments: list(text(), 'Two or more.'),
        list: words(['changes', 'ledger', 'drift', 'differences'], 'The list of their outcomes that has it.'),
        addresses: list(text(), 'The objects of which the list says the same.'),
      }),
      'What is the same in several environments, but for its place in files; most environments first.',
    ),
    differing: list(text(), 'The environments that do not have just what most have.'),
    environments: list(
      object({
        environment: text(),
        state: words(
          ['ended', 'not-begun'],
          'not-begun: the plan is not carried out, and its outcome is that of the plan.',
        ),
        outcome: oneBy('format', members),
      }),
      'In the order of gwconf.yaml.',
    ),
    waves: maybe(
      list(
        object({
          environments: list(text()),
          state: words(['ended', 'failed', 'interrupted', 'not-begun']),
          checks: list(
            object({
              check: words(['drift', 'test', 'doctor']),
              environment: text(),
              result,
              found: text('In a sentence.'),
            }),
            'What was checked once its plans were carried out.',
          ),
        }),
        'Of apply, in their order: the next one begins when the one before has ended well.',
      ),
    ),
    problems,
  },
);
