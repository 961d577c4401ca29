import { entriesOf, isObject, valueAt, valueOf, type Json, type JsonObject } from '../../model/json/json.ts';
import type { Resource } from '../../model/resource.ts';
import { atLeast } from '../../model/text/version.ts';
import { plugin } from '../../schema/kinds/plugin.ts';
import { pluginOf, plugins } from '../../schema/plugins/index.ts';
import { PLUGIN_PREFIX } from '../../schema/plugins/plugin.ts';
import { formatValue } from '../responses.ts';
import { hasStrictReferences, type State } from '../embedded-state.ts';
import { partFault } from './body-shape.ts';

/** The list of plugins: the classes of this version, and the custom ones (gateway-api A.6 Plugin). */
export function listPlugins(custom: readonly string[], version: string): readonly JsonObject[] {
  const own = plugins
    .filter(({ since, removed }) => isThere(version, since, removed))
    .map(({ name, summary }) => itemOf(name, summary, { version, license: 'enterprise' }));
  return [...own, ...custom.map((name) => itemOf(name, 'A plugin of your own.', { license: 'free' }))];
}

const { properties } = plugin.schema.spec;
/** The JSON Schema of an item of that list, which is not a resource. */
export const pluginItem: JsonObject = {
  type: 'object',
  required: ['plugin', 'pluginId', 'readme'],
  properties: { plugin: { type: 'string' }, ...(isObject(properties) ? properties : {}) },
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

/** Why the gateway refuses the plugin class or config of an interceptor; a dry run does not check it. */
export function findConfigFault(resource: Resource, { kinds, options, version }: State): string | undefined {
  if (!atLeast(version, '3.0.0')) return undefined; // of whose classes few are known
  const pluginClass = formatValue(resource.spec['pluginClass']);
  const kind = kinds.get(resource.kind);
  const part = kind?.part(resource);
  if (kind === undefined || part === undefined || isAbsentAt(version, pluginClass)) {
    const custom = !pluginClass.startsWith(PLUGIN_PREFIX) && options.plugins === undefined;
    const known = custom || options.plugins?.includes(pluginClass) === true;
    return known ? undefined : `Plugin class ${pluginClass} does not exist`;
  }
  // How configs looked before v2 is known of a few classes only (gateway-api E.3).
  if (!hasStrictReferences(version)) return undefined;
  const config = valueAt(resource, part.path) ?? {};
  if (lacksOverride(config)) return 'overrideValue must not be null';
  const broken = kind
    .check({ resource }, {})
    .find(({ severity, path }) => severity === 'error' && path.startsWith(part.path));
  return partFault(part.schema, config, part.path) ?? broken?.message;
}

/** A rule with bounds and OVERRIDE needs an overrideValue; recorded from gateway 3.21.1 (gateway-api A.2). */
function lacksOverride(value: Json): boolean {
  const has = (key: string): boolean => (valueOf(value, key) ?? null) !== null;
  if (
    isObject(value) &&
    value['action'] === 'OVERRIDE' &&
    (has('min') || has('max')) &&
    !has('overrideValue')
  ) {
    return true;
  }
  return entriesOf(value).some(([, child]) => lacksOverride(child));
}
