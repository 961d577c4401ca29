import type { JsonObject, Pattern } from '../../model/json.ts';
import { object, type Fields } from './field.ts';

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
};

export const PLUGIN_PREFIX = 'io.conduktor.gateway.interceptor.';

/** A form becomes a plugin: what its fields know of themselves is gathered from wherever they stand. */
export function definePlugin({
  config,
  ...about
}: Omit<Plugin, 'config' | 'sets' | 'secrets'> & { readonly config: Fields }): Plugin {
  const { schema, sets = [], secrets = [] } = object(config);
  return { ...about, config: schema, sets, secrets };
}
