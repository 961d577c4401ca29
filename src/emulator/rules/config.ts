import { entriesOf, isObject, valueAt, valueOf, type Json } from '../../model/json/json.ts';
import type { Resource } from '../../model/resource.ts';
import { PLUGIN_PREFIX } from '../../schema/plugins/plugin.ts';
import { isAbsentAt } from './plugins.ts';
import { partFault } from './shape.ts';
import type { State } from '../state/state.ts';
import { formatValue } from '../responses/text.ts';

/** Why the gateway refuses the plugin class or config of an interceptor; a dry run does not check it. */
export function findConfigFault(resource: Resource, { kinds, options, version }: State): string | undefined {
  const pluginClass = formatValue(resource.spec['pluginClass']);
  const kind = kinds.get(resource.kind);
  const part = kind?.part(resource);
  if (kind === undefined || part === undefined || isAbsentAt(version, pluginClass)) {
    const custom = !pluginClass.startsWith(PLUGIN_PREFIX) && options.plugins === undefined;
    const known = custom || options.plugins?.includes(pluginClass) === true;
    return known ? undefined : `Plugin class ${pluginClass} does not exist`;
  }
  const config = valueAt(resource, part.path) ?? {};
  if (lacksOverride(config)) return 'overrideValue must not be null';
  const broken = kind
    .check(resource, {})
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
