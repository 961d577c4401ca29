import { placesOf, type JsonObject } from '../../model/json/json.ts';
import type { Context, FieldProblem } from '../../model/kind.ts';
import { checkAges } from './ages.ts';
import { checkClass } from './classes.ts';
import { pluginOf } from './index.ts';
import type { Placed } from './placed.ts';

const BASE = '/spec/config';

/** What is wrong with the plugin class of an interceptor, and what its config breaks beyond its schema. */
export function checkPlugin(
  pluginClass: string,
  config: JsonObject,
  context: Context,
): readonly FieldProblem[] {
  const { checks = [], ages = [] } = pluginOf(pluginClass) ?? {};
  // Most keys of a class are not in a config, and thousands of configs are looked at.
  const mayApply = ({ at: [key] }: Placed<unknown>): boolean =>
    key === undefined || Object.hasOwn(config, key);
  return [
    ...checkClass(pluginClass, context),
    ...checks
      .filter(mayApply)
      .flatMap(({ at, it: check }) =>
        placesOf(config, at, BASE).flatMap(({ pointer, value }) => check(value, pointer)),
      ),
    ...checkAges(ages.filter(mayApply), config, context, BASE),
  ];
}
