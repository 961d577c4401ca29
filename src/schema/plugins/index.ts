import { chaos } from './chaos.ts';
import { dataSecurity } from './data-security.ts';
import type { Plugin } from './plugin.ts';
import { safeguard } from './safeguard.ts';
import { settingPolicies } from './setting-policies.ts';
import { topics } from './topic-fields.ts';

/** All classes that the vendor documents, also removed ones. */
export const plugins = [...settingPolicies, ...safeguard, ...dataSecurity, ...topics, ...chaos];

const byClass = new Map<unknown, Plugin>(plugins.map((plugin) => [plugin.name, plugin]));

/** A plugin by its full class name; undefined for a custom one. */
export function pluginOf(pluginClass: unknown): Plugin | undefined {
  return byClass.get(pluginClass);
}
