import type { Context, FieldProblem } from '../../model/kind.ts';
import { suggest } from '../../model/text/suggest.ts';
import { atLeast } from '../../model/text/version.ts';
import { pluginOf, plugins } from './index.ts';
import { hasPlaceholder } from './patterns.ts';
import { PLUGIN_PREFIX, type Plugin } from './plugin.ts';

// gateway-api E.6. Old classes stood in various packages, so only the last part of their names counts.
const RENAMED: Readonly<Record<string, string>> = {
  DataQualityProducerPlugin: 'safeguard.DataQualityProducerPlugin',
  BrokenBrokerChaosPlugin: 'chaos.SimulateBrokenBrokersPlugin',
  AlterBrokerConfigsSafeGuardPlugin: 'safeguard.AlterBrokerConfigPolicyPlugin',
  AlterTopicConfigsSafeGuardPlugin: 'safeguard.AlterTopicConfigPolicyPlugin',
};
/** Names that examples of others have, and what they probably mean. */
const IMAGINARY: Readonly<Record<string, string | undefined>> = {
  MaskingPlugin: 'FieldLevelDataMaskingPlugin',
  FieldLevelMaskingPlugin: 'FieldLevelDataMaskingPlugin',
  FieldLevelEncryptionPlugin: 'EncryptPlugin',
  AnotherPluginClassName: undefined,
};

const path = '/spec/pluginClass';

/** Whether the gateway has the plugin class of an interceptor, as far as that can be told. */
export function checkClass(pluginClass: string, context: Context): readonly FieldProblem[] {
  const plugin = pluginOf(pluginClass);
  if (plugin !== undefined) return checkAge(plugin, context);
  return hasPlaceholder(pluginClass) ? [] : [strangeClass(pluginClass)];
}

function checkAge(plugin: Plugin, { version }: Context): readonly FieldProblem[] {
  const { name, deprecated, removed, instead = 'plan to do without it' } = plugin;
  const isAt = (since: string): boolean => version === undefined || atLeast(version, since);
  if (removed !== undefined && isAt(removed)) {
    const stated = version === undefined ? '' : `; the environment has ${version}`;
    const severity = version === undefined ? 'warning' : 'error';
    const message = `gateways have no ${name} from ${removed} on${stated}`;
    return [{ code: 'removed-class', severity, path, message, hint: instead }];
  }
  if (deprecated === undefined || (deprecated !== true && !isAt(deprecated))) return [];
  const since = deprecated === true ? '' : ` since gateway ${deprecated}`;
  const end = removed === undefined ? '' : `, and is gone from ${removed} on`;
  const message = `${name} is deprecated${since}${end}`;
  return [{ code: 'deprecated-class', severity: 'warning', path, message, hint: instead }];
}

function strangeClass(pluginClass: string): FieldProblem {
  const simple = pluginClass.slice(pluginClass.lastIndexOf('.') + 1);
  const inPackage = pluginClass.startsWith(PLUGIN_PREFIX);
  const renamed = inPackage && Object.hasOwn(RENAMED, simple) ? RENAMED[simple] : undefined;
  if (renamed !== undefined) {
    const message = `${simple} is a name from before gateway 3.0, for what is now ${renamed}`;
    return {
      code: 'renamed-class',
      severity: 'error',
      path,
      message,
      hint: `write ${PLUGIN_PREFIX}${renamed}`,
    };
  }
  if (inPackage && Object.hasOwn(IMAGINARY, simple)) {
    const meant = IMAGINARY[simple];
    const hint =
      meant === undefined ? 'name a class that gateways have' : `did you mean ${PLUGIN_PREFIX}${meant}?`;
    const message = `no gateway ever had a ${simple}, though examples of others name it`;
    return { code: 'imaginary-class', severity: 'warning', path, message, hint };
  }
  const own = pluginClass.includes('.') && !pluginClass.startsWith('io.conduktor.');
  return {
    code: 'unknown-class',
    severity: 'warning',
    path,
    message: own
      ? 'gwconf cannot check the config of a plugin class of your own, and sends it as it is'
      : 'gwconf knows no such plugin class, and sends its config as it is',
    found: pluginClass,
    hint: own ? 'check its config by hand, and that the gateway has the class' : nearest(simple),
  };
}

// All full names have much in common, and begin alike.
function nearest(simple: string): string {
  const names = new Map(plugins.map(({ name }) => [name.slice(name.lastIndexOf('.') + 1), name]));
  const near = names.get(suggest(simple, names.keys()) ?? '');
  return near === undefined
    ? 'check the name, and that the gateway has the class'
    : `did you mean ${PLUGIN_PREFIX}${near}?`;
}
