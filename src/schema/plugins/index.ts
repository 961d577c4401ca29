import { chaos } from './chaos.ts';
import { dataSecurity } from './data-security.ts';
import type { Variant } from '../../model/kind.ts';
import { PLUGIN_PREFIX, type Plugin } from './plugin.ts';
import { safeguard } from './safeguard.ts';
import { topics } from './topics.ts';

/** Every class that the vendor documents, those it has removed since included. */
export const plugins: readonly Plugin[] = [...safeguard, ...dataSecurity, ...topics, ...chaos];

/** The same, as the shapes that an interceptor's config can have. */
export const pluginVariants: readonly Variant[] = plugins.map(
  ({ name, summary, config, sets = [], secrets = [], ages = [], since, deprecated, removed }) => ({
    name: PLUGIN_PREFIX + name,
    title: name,
    summary,
    schema: config,
    sets,
    secrets,
    ages,
    ...(since === undefined ? {} : { since }),
    ...(deprecated === undefined ? {} : { deprecated }),
    ...(removed === undefined ? {} : { removed }),
  }),
);

const byClass = new Map(plugins.map((plugin) => [PLUGIN_PREFIX + plugin.name, plugin]));

/** What is known of a plugin class by its full name; a custom one is not known, and its config is carried verbatim. */
export function pluginOf(pluginClass: unknown): Plugin | undefined {
  return typeof pluginClass === 'string' ? byClass.get(pluginClass) : undefined;
}
