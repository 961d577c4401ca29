import { count, list, object, text, words } from '../../model/shape.ts';
import { problems, report } from './shared.ts';

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
