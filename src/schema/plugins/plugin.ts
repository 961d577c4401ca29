import { once } from '../../model/collect.ts';
import type { Variant } from '../../model/kind.ts';
import type { Pointer } from '../../model/json/json.ts';
import type { ProtectionSort } from '../../model/principal.ts';
import type { Age, AtPattern } from './ages.ts';
import type { Check } from './config-checks.ts';
import { checked, harmless, object, part, type Fields } from './field.ts';

/** A plugin class of the vendor: section E of the API facts. The schema, sets, secrets and checks are those of its config. */
export type Plugin = Variant & {
  /** Whether it disturbs clients on purpose. */
  readonly effect?: 'chaos';
  /** The fields of its config that say where outside of Kafka it keeps records, which it alone reads back. */
  readonly keepsIn?: readonly Pointer[];
  /** The sorts of protection that its clients lose without it. */
  readonly protects?: readonly ProtectionSort[];
  /** The replacement of a deprecated or removed class, an imperative. */
  readonly instead?: string;
  /** Rules that the schema cannot express. */
  readonly checks: readonly AtPattern<Check>[];
  readonly ages: readonly AtPattern<Age>[];
};
export type PluginForm = Pick<
  Plugin,
  | 'summary'
  | 'example'
  | 'since'
  | 'deprecated'
  | 'removed'
  | 'instead'
  | 'effect'
  | 'keepsIn'
  | 'protects'
  | 'undoes'
  | 'shows'
> & {
  readonly config: () => Fields;
  /** Rules for the config as a whole. */
  readonly checks?: () => readonly Check[];
};

export const PLUGIN_PREFIX = 'io.conduktor.gateway.interceptor.';

/**
 * Compiles forms, by class without the common prefix: `safeguard.CreateTopicPolicyPlugin`; `all` holds for each of them. What follows
 * from a config is made when it is asked for: most files use few classes or none.
 */
export function definePlugins(
  forms: Readonly<Record<string, PluginForm>>,
  all: Pick<Plugin, 'effect' | 'protects'> = {},
): readonly Plugin[] {
  return Object.entries(forms).map(([title, { config, checks, ...own }]) => {
    const about = { ...all, ...own };
    const compiled = once(() => {
      const whole = checked(object(config()), ...(checks?.() ?? []));
      return about.effect === 'chaos' ? harmless(whole) : part('interceptor', whole);
    });
    return Object.defineProperties(
      { name: PLUGIN_PREFIX + title, title, ...about },
      Object.fromEntries(PARTS.map((name) => [name, { enumerable: true, get: () => compiled()[name] }])),
    ) as Plugin; // the parts of a config are these
  });
}
const PARTS = ['schema', 'sets', 'secrets', 'checks', 'ages', 'narrowings', 'strength'] as const;

// gateway-api E.6. Old classes were in various packages, so only the last part of the name counts.
const RENAMED: Readonly<Record<string, string>> = {
  DataQualityProducerPlugin: 'safeguard.DataQualityProducerPlugin',
  BrokenBrokerChaosPlugin: 'chaos.SimulateBrokenBrokersPlugin',
  AlterBrokerConfigsSafeGuardPlugin: 'safeguard.AlterBrokerConfigPolicyPlugin',
  AlterTopicConfigsSafeGuardPlugin: 'safeguard.AlterTopicConfigPolicyPlugin',
};

/** The name since gateway 3.0 of a plugin class of the vendor, without the common prefix; undefined if it kept its name. */
export function renamedClass(pluginClass: string): string | undefined {
  const simple = pluginClass.slice(pluginClass.lastIndexOf('.') + 1);
  const isRenamed = pluginClass.startsWith(PLUGIN_PREFIX) && Object.hasOwn(RENAMED, simple);
  const title = isRenamed ? RENAMED[simple] : undefined;
  return title === undefined || PLUGIN_PREFIX + title === pluginClass ? undefined : title;
}
