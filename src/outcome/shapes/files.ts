import { count, list, maybe, object, text, words, position } from '../../model/shape.ts';
import { problems, report, principal, problem } from './shared.ts';

export const validateReport = report(
  'validate-report',
  { title: 'Report of gwconf validate -o json', description: 'What gwconf validate found.' },
  {
    result: words(['valid', 'error', 'blocked']),
    summary: object({
      resources: count(),
      errors: count(),
      warnings: count(),
      environments: maybe(list(text(), 'The environments that were checked, if there are several.')),
    }),
    problems,
  },
);

export const testCase = object({
  name: text(),
  ...position.properties,
  environment: maybe(text('The environment of gwconf.yaml, if there is one.')),
  result: words(['passed', 'failed', 'not-run'], 'not-run: the files that it is about have mistakes.'),
  principals: count('For how many clients the expectations were checked.'),
  problems,
});

export const coverage = object({
  environment: maybe(text('The environment of gwconf.yaml, if there is one.')),
  files: maybe(list(text(), 'The files that a test names instead of those of an environment.')),
  principals: count('How many there are, tested or not.'),
  interceptors: count('How many there are, tested or not.'),
  untestedPrincipals: list(object(principal), 'Clients that no case is for.'),
  untestedInterceptors: list(text(), 'Addresses of interceptors that no expectation depends on.'),
});

export const testReport = report(
  'test-report',
  { title: 'Report of gwconf test -o json', description: 'What came of tests.' },
  {
    result: words(
      ['passed', 'tests-failed', 'error'],
      'tests-failed: the files are fine, and an expectation does not hold.',
    ),
    summary: object({ cases: count(), passed: count(), failed: count(), notRun: count() }),
    cases: list(testCase, 'In the order of the files; once for each environment.'),
    coverage: list(
      coverage,
      'What the cases are about, for each environment, or the files that a test names.',
    ),
    problems: list(problem, 'All problems, with those of the cases.'),
  },
);

export const environmentsReport = report(
  'environments-report',
  {
    title: 'Report of gwconf environments -o json',
    description: 'The environments of gwconf.yaml, all or those that are asked for.',
  },
  {
    result: words(['ok', 'error']),
    since: maybe(text('The ref of --changed-since.')),
    environments: list(
      object({
        environment: text(),
        files: list(text(), 'Its layers, as paths from here.'),
        changed: maybe(
          list(text(), 'With --changed-since: the files that it reads, and gwconf.yaml, that have changed.'),
        ),
      }),
      'In the order of gwconf.yaml.',
    ),
    problems,
  },
);
