import type { JsonObject, Pattern } from '../../model/json/json.ts';
import type { Age } from './ages.ts';
import type { Check } from './checks.ts';
import { checked, object, type Fields } from './field.ts';
import type { Placed } from './placed.ts';

/** What is known of one plugin class: section E of the API facts, one form a class. */
export type Plugin = {
  /** The class without its common prefix: `safeguard.CreateTopicPolicyPlugin`. */
  readonly name: string;
  readonly summary: string;
  /** JSON Schema of its config; a closed object. */
  readonly config: JsonObject;
  /** Lists in the config whose order means nothing; rooted at the config. */
  readonly sets?: readonly Pattern[];
  /** Values in the config that no report may show; rooted at the config. */
  readonly secrets?: readonly Pattern[];
  /** The first gateway version that has it: `3.7.0`; left out where it has always been there. */
  readonly since?: string;
  /** The gateway version that advises against it; `true` where the vendor does not say which one did. */
  readonly deprecated?: string | true;
  /** The first gateway version that does not have it any more. */
  readonly removed?: string;
  /** What to do instead of a class that is going or gone, an imperative. */
  readonly instead?: string;
  /** Rules of the config that its schema cannot say, and keys and values that have not always been there. */
  readonly checks?: readonly Placed<Check>[];
  readonly ages?: readonly Placed<Age>[];
};

export const PLUGIN_PREFIX = 'io.conduktor.gateway.interceptor.';

/** A form becomes a plugin: what its fields know of themselves is gathered from wherever they stand. */
export function definePlugin({
  config,
  checks: ofTheWhole = [],
  ...about
}: Omit<Plugin, 'config' | 'sets' | 'secrets' | 'checks' | 'ages'> & {
  readonly config: Fields;
  /** Rules of the config as a whole. */
  readonly checks?: readonly Check[];
}): Plugin {
  const { schema, sets = [], secrets = [], checks = [], ages = [] } = checked(object(config), ...ofTheWhole);
  return { ...about, config: schema, sets, secrets, checks, ages };
}
