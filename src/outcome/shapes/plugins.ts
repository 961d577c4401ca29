import { count, either, exactly, flag, list, maybe, object, text, words } from '../../model/shape.ts';
import { gateway, problems, report } from './shared.ts';

export const pluginsReport = report(
  'plugins-report',
  {
    title: 'Report of gwconf plugins -o json',
    description: 'The plugin classes that the gateway lists, beside those that gwconf knows.',
  },
  {
    result: words(['ok', 'error', 'blocked', 'stale']),
    gateway,
    summary: object({
      onGateway: count('Classes that the gateway lists.'),
      unknown: count('Those of them that gwconf does not know.'),
      notOnGateway: count('Classes that gwconf knows and the gateway does not list.'),
    }),
    plugins: list(
      object({
        class: text('The full name of the class.'),
        onGateway: flag(),
        known: flag('Whether gwconf knows the class, and checks its config.'),
        title: maybe(text()),
        version: maybe(text('Of the plugin, as the gateway lists it.')),
        license: maybe(text()),
        parent: maybe(text()),
        description: maybe(text()),
        deprecated: maybe(
          either(
            [text(), exactly(true)],
            'The gateway version that deprecates the class; true if it is not known.',
          ),
        ),
        removed: maybe(text('The first gateway version without the class.')),
        note: maybe(text('What to know before using the class.')),
      }),
      'By class.',
    ),
    problems,
  },
);
