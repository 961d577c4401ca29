import { count, list, maybe, object, text, words } from '../../model/shape.ts';
import { problems, report } from './shared.ts';

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
