import type { Variant } from '../../model/kind.ts';
import type { ProtectionSort } from '../../model/principal.ts';
import type { Age, Placed } from './ages.ts';
import type { Check } from './checks.ts';
import { checked, object, type Fields } from './field.ts';

/** A plugin class of the vendor: section E of the API facts. The schema, sets, secrets and checks are those of its config. */
export type Plugin = Variant & {
  /** Whether it disturbs clients on purpose. */
  readonly effect?: 'chaos';
  /** What its clients lose without it. */
  readonly protects?: readonly ProtectionSort[];
  /** What to do instead of using a deprecated or removed class, an imperative. */
  readonly instead?: string;
  /** Rules that the schema cannot express. */
  readonly checks: readonly Placed<Check>[];
  readonly ages: readonly Placed<Age>[];
};
export type PluginForm = Pick<
  Plugin,
  'summary' | 'since' | 'deprecated' | 'removed' | 'instead' | 'effect' | 'protects'
> & {
  readonly config: Fields;
  /** Rules for the config as a whole. */
  readonly checks?: readonly Check[];
};

export const PLUGIN_PREFIX = 'io.conduktor.gateway.interceptor.';

/** Compiles forms, by class without the common prefix: `safeguard.CreateTopicPolicyPlugin`; `all` holds for each of them. */
export function definePlugins(
  forms: Readonly<Record<string, PluginForm>>,
  all: Pick<Plugin, 'effect' | 'protects'> = {},
): readonly Plugin[] {
  return Object.entries(forms).map(([title, { config, checks: rules = [], ...own }]) => {
    const about = { ...all, ...own };
    const {
      schema,
      sets = [],
      secrets = [],
      checks = [],
      ages = [],
      narrowings = [],
    } = checked(object(config), ...rules);
    return { name: PLUGIN_PREFIX + title, title, ...about, schema, sets, secrets, checks, ages, narrowings };
  });
}
