import { isObject, type Json } from '../../src/model/json/json.ts';
import type { Kind } from '../../src/model/kind.ts';
import { asValid, type Resource } from '../../src/model/resource.ts';
import { catalog } from '../../src/schema/kinds/index.ts';

/** A kind of the gateway's by its name. */
export function kindOf(name: string): Kind {
  const kind = catalog.kinds.get(name);
  if (kind === undefined) throw new Error(`no kind is named ${name}`);
  return kind;
}

/** A resource of the gateway's API, as a server may spell it. */
export function resource(kind: string, metadata: Json, spec: Json = {}, apiVersion = 'gateway/v2'): Resource {
  if (!isObject(metadata) || !isObject(spec)) throw new Error('expected maps');
  return asValid({ apiVersion, kind, metadata, spec }); // as far as the test says
}
