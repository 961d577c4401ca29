import { address, list, mapOf, maybe, nullable, object, text, words } from '../../model/shape.ts';
import { priority } from '../../plan/shapes.ts';
import { gateway, problems, report } from './shared.ts';

export const resolveReport = report(
  'resolve-report',
  { title: 'Report of gwconf resolve -o json', description: 'Which interceptors run for a client.' },
  {
    result: words(['ok', 'error', 'blocked', 'stale']),
    gateway,
    client: object({ username: maybe(text()), virtualCluster: text(), groups: list(text()) }),
    interceptors: list(
      object({
        address,
        name: text(),
        scope: mapOf(nullable()),
        priority,
        pluginClass: text(),
        overrides: list(
          address,
          'Interceptors of the same name that are for the client, too, and do not run because of this one.',
        ),
      }),
      'In the order in which they run, as the gateway says.',
    ),
    problems,
  },
);
