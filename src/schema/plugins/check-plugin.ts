import { placesOf, type JsonObject } from '../../model/json/json.ts';
import type { Context, FieldProblem } from '../../model/kind.ts';
import { didYouMean, type Cure } from '../../model/problem.ts';
import { suggest } from '../../model/text/suggest.ts';
import { atLeast } from '../../model/text/version.ts';
import { checkAges, type AtPattern } from './ages.ts';
import { pluginOf, plugins } from './index.ts';
import { hasPlaceholder } from '../../model/text/placeholder.ts';
import { PLUGIN_PREFIX, type Plugin, renamedClass } from './plugin.ts';

// gateway-api E.6.
/** Classes in third-party examples that never existed, and the probable class. */
const IMAGINARY: Readonly<Record<string, string | undefined>> = {
  MaskingPlugin: 'FieldLevelDataMaskingPlugin',
  FieldLevelMaskingPlugin: 'FieldLevelDataMaskingPlugin',
  FieldLevelEncryptionPlugin: 'EncryptPlugin',
  AnotherPluginClassName: undefined,
};

/** Classes whose configs the vendor documents for newer gateways than gwconf knows (gateway-api E.6). */
const UNDESCRIBED: ReadonlySet<string> = new Set([
  'ProduceIntegrityPolicyPlugin',
  'FetchIntegrityPolicyPlugin',
]);

const BASE = '/spec/config';

/** Rules of a config that the schema of its plugin class cannot express; the config can violate that schema. */
export function checkConfig(
  pluginClass: string,
  config: JsonObject,
  context: Context,
): readonly FieldProblem[] {
  const { checks = [], ages = [] } = pluginOf(pluginClass) ?? {};
  // A config has few of the keys of its class.
  const mayApply = ({ at: [key] }: AtPattern<unknown>): boolean =>
    key === undefined || Object.hasOwn(config, key);
  return [
    ...checks
      .filter(mayApply)
      .flatMap(({ at, it: check }) =>
        placesOf(config, at, BASE).flatMap(({ pointer, value }) => check(value, pointer)),
      ),
    ...checkAges(ages.filter(mayApply), config, context, BASE),
  ];
}

const path = '/spec/pluginClass';

export function checkClass(pluginClass: string, context: Context): readonly FieldProblem[] {
  const plugin = pluginOf(pluginClass);
  if (plugin !== undefined) return checkAge(plugin, context);
  return hasPlaceholder(pluginClass) ? [] : [strangeClass(pluginClass)];
}

function checkAge(plugin: Plugin, { version }: Context): readonly FieldProblem[] {
  const { title, deprecated, removed, instead = 'stop using it' } = plugin;
  const isAt = (since: string): boolean => version === undefined || atLeast(version, since);
  if (removed !== undefined && isAt(removed)) {
    const stated = version === undefined ? '' : `; the environment has ${version}`;
    const severity = version === undefined ? 'warning' : 'error';
    const message = `${title} was removed in gateway ${removed}${stated}`;
    return [{ code: 'removed-class', severity, path, message, hint: instead }];
  }
  if (deprecated === undefined || (deprecated !== true && !isAt(deprecated))) return [];
  const since = deprecated === true ? '' : ` since gateway ${deprecated}`;
  const end = removed === undefined ? '' : `, and removed in ${removed}`;
  const message = `${title} is deprecated${since}${end}`;
  return [{ code: 'deprecated-class', path, message, hint: instead }];
}

function strangeClass(pluginClass: string): FieldProblem {
  const simple = pluginClass.slice(pluginClass.lastIndexOf('.') + 1);
  const inPackage = pluginClass.startsWith(PLUGIN_PREFIX);
  const renamed = renamedClass(pluginClass);
  if (renamed !== undefined) {
    const message = `${simple} is the name before gateway 3.0 of ${renamed}`;
    return {
      code: 'renamed-class',
      path,
      message,
      ...{ hint: `write ${PLUGIN_PREFIX}${renamed}`, instead: `${PLUGIN_PREFIX}${renamed}` },
    };
  }
  if (inPackage && Object.hasOwn(IMAGINARY, simple)) {
    const meant = IMAGINARY[simple];
    const near = meant === undefined ? undefined : `${PLUGIN_PREFIX}${meant}`;
    const message = `${simple} does not exist, although some examples mention it`;
    const cure = didYouMean(near, 'use a class that the gateway has');
    return { code: 'imaginary-class', path, message, ...cure };
  }
  const full = fullName(pluginClass);
  if (full !== undefined) {
    const message = 'expected the full name of a plugin class';
    return {
      code: 'invalid-value',
      path,
      message,
      found: pluginClass,
      ...{ hint: `write ${full}`, instead: full },
    };
  }
  const own = pluginClass.includes('.') && !pluginClass.startsWith('io.conduktor.');
  const isNew = inPackage && UNDESCRIBED.has(simple);
  return {
    code: 'unknown-class',
    path,
    message: own
      ? 'gwconf cannot check the config of a custom plugin class, and sends it unchanged'
      : isNew
        ? 'gwconf cannot check the config of this new plugin class, and sends it unchanged'
        : 'unknown plugin class; its config is sent unchanged',
    found: pluginClass,
    ...(own || isNew ? { hint: 'check the config, and that the gateway has the class' } : nearest(simple)),
  };
}

/** The class with this name behind its package. */
function fullName(simple: string): string | undefined {
  return plugins.find(({ name }) => name.endsWith(`.${simple}`))?.name;
}

// Full names have a long common prefix, so short names are compared.
function nearest(simple: string): Cure {
  const names = new Map(
    plugins.flatMap(({ name, removed }) =>
      removed === undefined ? [[name.slice(name.lastIndexOf('.') + 1), name] as const] : [],
    ),
  );
  const near = names.get(suggest(simple, names.keys()) ?? '');
  return didYouMean(near, 'check the name, and that the gateway has the class');
}
