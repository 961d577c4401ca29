import type { JsonObject } from '../../model/json/json.ts';
import { atLeast } from '../../model/text/version.ts';
import { pluginOf, plugins } from '../../schema/plugins/index.ts';

/** The list of plugins: the classes of this version, and the custom ones (gateway-api A.6 Plugin). */
export function listPlugins(custom: readonly string[], version: string): readonly JsonObject[] {
  const own = plugins
    .filter(({ since, removed }) => isThere(version, since, removed))
    .map(({ name, summary }) => itemOf(name, summary, { version, license: 'enterprise' }));
  return [...own, ...custom.map((name) => itemOf(name, 'A plugin of your own.', { license: 'free' }))];
}

const text = { type: 'string' };
/** The JSON Schema of an item of that list, which is not a resource. */
export const pluginItem: JsonObject = {
  type: 'object',
  required: ['plugin', 'pluginId', 'readme'],
  properties: {
    plugin: text,
    pluginId: text,
    readme: text,
    parent: text,
    license: text,
    description: text,
    title: text,
    version: text,
  },
};

/** Whether a class of the catalog is not in this version: not yet, or no longer. */
export function isAbsentAt(version: string, pluginClass: string): boolean {
  const plugin = pluginOf(pluginClass);
  return plugin !== undefined && !isThere(version, plugin.since, plugin.removed);
}

function isThere(version: string, since: string | undefined, removed: string | undefined): boolean {
  return (
    (since === undefined || atLeast(version, since)) && (removed === undefined || !atLeast(version, removed))
  );
}

function itemOf(plugin: string, description: string, about: JsonObject): JsonObject {
  const title = plugin.slice(plugin.lastIndexOf('.') + 1);
  return { plugin, pluginId: title, title, description, readme: `# ${title}\n\n${description}\n`, ...about };
}
