import { present } from '../model/collect.ts';
import type { AgedField, KindSet } from '../model/kind.ts';
import type { PluginKind } from './kinds/plugin.ts';
import { plugins } from './plugins/index.ts';
import type { Plugin } from './plugins/plugin.ts';

/** A plugin class: what a gateway lists of it, beside what gwconf knows. */
export type ComparedPlugin = {
  readonly class: string;
  readonly onGateway: boolean;
  /** Whether gwconf checks configs of this class. */
  readonly known: boolean;
  /** The gateway versions that deprecate and remove it, as far as gwconf knows. */
  readonly deprecated?: string | true;
  readonly removed?: string;
  /** A caution for users of the class. */
  readonly note?: string;
} & Partial<Pick<PluginKind['spec'], 'title' | 'version' | 'license' | 'parent' | 'description'>>;

type Listed = { readonly metadata: { readonly name: string }; readonly spec: object };

/** All classes that the gateway lists or gwconf knows, by name. */
export function comparePlugins(listed: readonly Listed[]): readonly ComparedPlugin[] {
  const there = new Map(listed.map(({ metadata, spec }) => [metadata.name, spec]));
  const known = new Map(plugins.map((plugin) => [plugin.name, plugin]));
  const classes = [...new Set([...there.keys(), ...known.keys()])].sort();
  return classes.map((name) => compare(name, there.get(name), known.get(name)));
}

function compare(name: string, spec: object | undefined, known: Plugin | undefined): ComparedPlugin {
  const { deprecated, removed, summary } = known ?? {};
  const note = noteOn(spec !== undefined, known);
  return {
    class: name,
    onGateway: spec !== undefined,
    known: known !== undefined,
    ...textsOf(spec ?? { description: summary }),
    ...present({ deprecated, removed, note }),
  };
}

const SHOWN = ['title', 'version', 'license', 'parent', 'description'] as const;

function textsOf(spec: object): Pick<ComparedPlugin, (typeof SHOWN)[number]> {
  const texts = Object.entries(spec).filter(
    ([key, value]) => SHOWN.some((shown) => shown === key) && typeof value === 'string',
  );
  return Object.fromEntries(texts);
}

function noteOn(onGateway: boolean, known: Plugin | undefined): string | undefined {
  if (known === undefined) return 'unknown to gwconf, which does not check its config';
  const { deprecated, removed, instead } = known;
  const cure = instead === undefined ? '' : `: ${instead}`;
  if (!onGateway) return `not on the gateway${removed === undefined ? '' : `, removed in ${removed}${cure}`}`;
  if (removed !== undefined) return `removed in ${removed}${cure}`;
  if (deprecated === undefined) return undefined;
  return `deprecated${deprecated === true ? '' : ` since ${deprecated}`}${cure}`;
}

/** A field, a value or a plugin class that some gateway version deprecates. */
type Deprecation = {
  /** `schemaDataMode: convert_json` */
  readonly name: string;
  /** The first version that deprecates it. */
  readonly since: string;
  /** The version that removes it, if that is announced. */
  readonly removed?: string | undefined;
};

/** All that the kinds and their variants have in deprecated forms. What several variants share is there once. */
export function listDeprecations(kinds: KindSet): readonly Deprecation[] {
  const found = [...kinds.values()].flatMap(({ ages, variants }) => [
    ...ages.flatMap(readAge),
    ...(variants?.known ?? []).flatMap(({ title, deprecated, removed, ages: own }) => [
      ...(typeof deprecated === 'string' ? [{ name: title, since: deprecated, removed }] : []),
      ...own.flatMap(readAge),
    ]),
  ]);
  return [...new Map(found.map((one) => [one.name, one])).values()];
}

function readAge({ at, it: { value, deprecated, removed } }: AgedField): readonly Deprecation[] {
  if (deprecated === undefined) return [];
  const field = at.findLast((token) => token !== '*') ?? '';
  return [{ name: value === undefined ? field : `${field}: ${value}`, since: deprecated, removed }];
}
