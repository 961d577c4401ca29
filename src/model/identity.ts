import { isObject, valueOf, type Json } from './json/json.ts';
import { defaultTreeOf, valueWithDefaults } from './defaults.ts';
import type { Kind } from './kind.ts';

import { printAddress, type Address, type Resource, type Scope } from './resource.ts';

/** The parts of a kind that its addresses need; kinds of gwconf have them, too. */
type Keyed = Pick<Kind, 'name' | 'axes' | 'defaultTree'>;

/** The address of a resource, with the defaults of its scope. */
export function identify(kind: Keyed, resource: Resource): Address {
  return printAddress({ kind: kind.name, name: resource.metadata.name, scope: scopeOf(kind, resource) });
}

/** The scope of a resource, with its defaults. */
export function scopeOf(kind: Keyed, { metadata }: Resource): Scope {
  return scopeIn(kind, metadata);
}

/** The address of a value that may be invalid; undefined if its metadata have none. */
export function addressIn(kind: Keyed, value: Json): Address | undefined {
  const metadata = valueOf(value, 'metadata');
  const name = valueOf(metadata, 'name');
  if (!isObject(metadata) || typeof name !== 'string') return undefined;
  const scope = scopeIn(kind, metadata);
  const isScope = Object.values<Json>(scope).every((found) => found === null || typeof found === 'string');
  return isScope ? printAddress({ kind: kind.name, name, scope }) : undefined;
}

/** The scope of a resource that sets none. */
export function defaultScope(kind: Keyed): Scope {
  return scopeIn(kind, {});
}

const NO_DEFAULTS = defaultTreeOf([]);

/** The values of the axes of the kind; only a scope if the metadata are valid. */
function scopeIn(kind: Keyed, metadata: Json): Scope {
  const tree = kind.defaultTree.below.get('metadata') ?? NO_DEFAULTS;
  const scope: Record<string, Json> = {};
  for (const { name, tokens } of kind.axes) scope[name] = valueWithDefaults(metadata, tokens, tree) ?? null;
  return scope as Scope;
}
