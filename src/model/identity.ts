import { isObject, valueOf, type Json } from './json/json.ts';
import { fill } from './defaults.ts';
import type { Kind } from './kind.ts';

import { printAddress, type Address, type Resource, type Scope } from './resource.ts';

/** What the key of a resource hangs on; kinds of our own have it, too. */
type Keyed = Pick<Kind, 'name' | 'axes' | 'filling'>;

/** The whole key of a resource: kind, name and scope, with its defaults filled in. */
export function identify(kind: Keyed, resource: Resource): Address {
  return printAddress({ kind: kind.name, name: resource.metadata.name, scope: scopeOf(kind, resource) });
}

/** What identifies a resource beside its name, with the defaults filled in. */
export function scopeOf(kind: Keyed, { metadata }: Resource): Scope {
  return scopeIn(kind, metadata);
}

/** The address of something that need not be valid; undefined where its metadata do not give one. */
export function addressIn(kind: Keyed, value: Json): Address | undefined {
  const metadata = valueOf(value, 'metadata');
  const name = valueOf(metadata, 'name');
  if (!isObject(metadata) || typeof name !== 'string') return undefined;
  const scope = scopeIn(kind, metadata);
  const isScope = Object.values<Json>(scope).every((found) => found === null || typeof found === 'string');
  return isScope ? printAddress({ kind: kind.name, name, scope }) : undefined;
}

/** The scope of a resource that says nothing of its own. */
export function defaultScope(kind: Keyed): Scope {
  return scopeIn(kind, {});
}

/** What stands on the axes of the kind; a scope as far as the schema is held. */
function scopeIn(kind: Keyed, metadata: Json): Scope {
  const filling = kind.filling.below.get('metadata');
  const filled = kind.axes.length === 0 || filling === undefined ? metadata : fill(metadata, filling);
  const scope: Record<string, Json> = {};
  for (const { name, tokens } of kind.axes) {
    scope[name] = tokens.reduce<Json | undefined>(valueOf, filled) ?? null;
  }
  return scope as Scope;
}
