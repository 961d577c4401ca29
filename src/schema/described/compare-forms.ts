import {
  isObject,
  joinPointer,
  valueOf,
  type Json,
  type JsonObject,
  type Pointer,
} from '../../model/json/json.ts';
import type { Kind } from '../../model/kind.ts';

/** A field of which a description says something that our own form does not. */
export type Disagreement = { readonly path: Pointer; readonly says: string };

/** Where the description of a kind of our own, the schema of an object, disagrees with its form. Fields that it lacks are older. */
export function findDisagreements(kind: Kind, described: JsonObject): readonly Disagreement[] {
  return (['metadata', 'spec'] as const).flatMap((part) =>
    compare(kind.schema[part], valueOf(valueOf(described, 'properties'), part), `/${part}`),
  );
}

function compare(ours: Json | undefined, theirs: Json | undefined, path: Pointer): readonly Disagreement[] {
  if (!isObject(ours) || !isObject(theirs)) return [];
  const [own, other] = [typesOf(ours), typesOf(theirs)];
  if (own.length > 0 && other.length > 0 && !own.some((type) => other.includes(type)))
    return [{ path, says: `is ${other.join(' or ')}, not ${own.join(' or ')}` }];
  const fields = valueOf(theirs, 'properties');
  const known = valueOf(ours, 'properties');
  return [
    ...Object.entries(isObject(fields) ? fields : {}).flatMap(([key, field]): readonly Disagreement[] => {
      const at = joinPointer(path, key);
      const mine = valueOf(known, key);
      if (mine !== undefined) return compare(mine, field, at);
      return valueOf(ours, 'additionalProperties') === false ? [{ path: at, says: 'is not known here' }] : [];
    }),
    ...compare(valueOf(ours, 'items'), valueOf(theirs, 'items'), joinPointer(path, '*')),
  ];
}

function typesOf(schema: JsonObject): readonly string[] {
  const types = [valueOf(schema, 'type') ?? []].flat().filter((type) => typeof type === 'string');
  return types.map((type) => (type === 'integer' ? 'number' : type)).filter((type) => type !== 'null');
}
