import type { JsonObject } from '../../model/json.ts';
import { placesOf } from '../../model/json.ts';
import type { Context, Fault } from '../../model/kind.ts';
import { ageFaults } from './ages.ts';
import { classFaults } from './classes.ts';
import { pluginOf } from './index.ts';

/** What is wrong with the plugin class of an interceptor, and what its config breaks beyond its schema. */
export function pluginFaults(pluginClass: string, config: JsonObject, context: Context): readonly Fault[] {
  const { checks = [], ages = [] } = pluginOf(pluginClass) ?? {};
  return [
    ...classFaults(pluginClass, context),
    ...checks.flatMap(({ at, it: check }) =>
      [...placesOf(config, at, '/spec/config')].flatMap(({ pointer, value }) => check(value, pointer)),
    ),
    ...ageFaults(ages, config, context, '/spec/config'),
  ];
}
