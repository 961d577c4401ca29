import type { JsonObject, Pattern } from '../../model/json.ts';

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
};

export const PLUGIN_PREFIX = 'io.conduktor.gateway.interceptor.';
