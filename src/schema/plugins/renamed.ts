import { PLUGIN_PREFIX } from './plugin.ts';

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
