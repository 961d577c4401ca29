import { PLUGIN_PREFIX, type Plugin } from './plugin.ts';

const plugins: readonly Plugin[] = [];

const byClass = new Map(plugins.map((plugin) => [PLUGIN_PREFIX + plugin.name, plugin]));

/** What is known of a plugin class by its full name; a custom one is not known, and its config is carried verbatim. */
export function pluginOf(pluginClass: unknown): Plugin | undefined {
  return typeof pluginClass === 'string' ? byClass.get(pluginClass) : undefined;
}
