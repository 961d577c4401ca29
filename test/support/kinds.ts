import { isObject, type Json } from '../../src/model/json/json.ts';
import { identify } from '../../src/model/identity.ts';
import type { Kind } from '../../src/model/kind.ts';
import { referencesOf } from '../../src/model/normal/normal-form.ts';
import { asValid, type Resource } from '../../src/model/resource.ts';
import { catalog } from '../../src/schema/kinds/index.ts';

/** A kind of the gateway's by one of its names. */
export function kindOf(name: string): Kind {
  const kind =
    catalog.kinds.get(name) ?? [...catalog.kinds.values()].find(({ aliases }) => aliases.includes(name));
  if (kind === undefined) throw new Error(`no kind is named ${name}`);
  return kind;
}

/** A resource of the gateway's API, as a server may spell it. */
export function resource(kind: string, metadata: Json, spec: Json = {}, apiVersion = 'gateway/v2'): Resource {
  if (!isObject(metadata) || !isObject(spec)) throw new Error('expected maps');
  return asValid({ apiVersion, kind, metadata, spec }); // as far as the test says
}

/** The kinds that files can declare. */
export const writableKinds: readonly Kind[] = [...catalog.kinds.values()].filter(
  ({ removal }) => removal !== undefined,
);

/** The examples of other kinds that the example of a kind refers to, directly or not, in the order to create them. */
export function examplesNeededBy(kind: Kind): readonly Resource[] {
  const needed = new Set<Resource>();
  for (const { to } of referencesOf(kind.example, kind)) {
    const other = writableKinds.find((one) => identify(one, one.example) === to);
    if (other === undefined)
      throw new Error(`the example of ${kind.name} refers to ${to}, which is no example`);
    for (const resource of [...examplesNeededBy(other), other.example]) needed.add(resource);
  }
  return [...needed];
}
