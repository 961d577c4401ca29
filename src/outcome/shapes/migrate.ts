import { count, flag, list, maybe, object, text, words } from '../../model/shape.ts';
import { problems, report } from './shared.ts';

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
