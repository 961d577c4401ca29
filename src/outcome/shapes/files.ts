import { count, list, maybe, object, text, words, position, flag } from '../../model/shape.ts';
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

export const migrateReport = report(
  'migrate-report',
  {
    title: 'Report of gwconf migrate -o json',
    description: 'What became of each call to v1, and the files that were written.',
  },
  {
    result: words(['ok', 'not-converted', 'error', 'blocked', 'stale']),
    summary: object(
      { converted: count(), 'converted with a choice': count(), imperative: count(), cannot: count() },
      'How many calls have each outcome.',
    ),
    gateways: list(
      object({
        gateway: text('The scheme, host and port of the gateway as written, without credentials.'),
        folder: text('The folder of its files.'),
        objects: count(undefined, 1),
        files: count(undefined, 1),
      }),
      'The gateways that files were written for.',
    ),
    variables: list(
      object({
        name: text(),
        secret: flag('Whether it is for a secret; otherwise it is a variable of the scripts.'),
      }),
      'The variables that the files need.',
    ),
    calls: list(
      object({
        file: text('The file, or the URL of the gateway that was read.'),
        line: maybe(count('From 1; absent for what was read from a gateway.', 1)),
        gateway: maybe(text('The scheme, host and port of the gateway as written, without credentials.')),
        method: maybe(text()),
        path: maybe(text()),
        object: maybe(text('The object that was read from the gateway, where the path does not tell.')),
        outcome: words(['converted', 'converted with a choice', 'imperative', 'cannot']),
        why: maybe(text('The choices, the command to use, or why it cannot be converted.')),
        to: list(text(), 'The addresses of the resources that declare what the call did.'),
      }),
      'In the order of the files.',
    ),
    problems,
  },
);

export const scanReport = report(
  'scan-report',
  { title: 'Report of gwconf migrate --scan -o json', description: 'The uses of API v1 in files.' },
  {
    result: words(['v1-used', 'v1-unused', 'error']),
    summary: object({
      uses: count(),
      files: count('Files that use v1.'),
      read: count('Files that were read.'),
    }),
    areas: list(
      object({
        name: text(),
        deprecated: text('The gateway version that deprecates it.'),
        removed: text('The first gateway version without it.'),
        replacement: text(),
        uses: list(
          object({
            file: text(),
            line: count(undefined, 1),
            column: count(undefined, 1),
            text: text('The path as it is written there.'),
          }),
        ),
      }),
      'The parts of v1 that are used.',
    ),
    skipped: list(object({ path: text(), why: text() }), 'Files and folders that were not read.'),
    problems,
  },
);
