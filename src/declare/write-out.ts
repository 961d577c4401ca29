import { memoize } from '../model/collect.ts';
import {
  isList,
  isObject,
  joinPointer,
  type Json,
  type JsonObject,
  type Pointer,
} from '../model/json/json.ts';
import type { Kind, Part } from '../model/kind.ts';
import { escapeText } from '../schema/load/as-declared.ts';
import { fieldsOf, itemOf, othersOf } from '../schema/fields.ts';

/** A resource as the value of a document: keys in the order of `fmt`, `${` escaped, and placeholders at these places. */
export function writeOut(
  value: JsonObject,
  kind: Kind,
  placeholders: ReadonlyMap<Pointer, string>,
): JsonObject {
  const part = kind.part(value);
  const schema = schemaOf(kind);
  return write(value, schema, '', { part, placeholders }) as JsonObject; // an object stays one
}

const schemaOf = memoize(({ schema }: Kind): JsonObject => {
  return { properties: { apiVersion: {}, kind: {}, ...schema } };
});

type Writing = {
  readonly part: Part | undefined;
  readonly placeholders: ReadonlyMap<Pointer, string>;
};

function write(value: Json, schema: Json | undefined, at: Pointer, writing: Writing): Json {
  const { part, placeholders } = writing;
  if (typeof value !== 'object' || value === null)
    return placeholders.get(at) ?? (typeof value === 'string' ? escapeText(value) : value);
  const here = part?.path === at ? part.schema : schema;
  const shape = isObject(here) ? shapeOf(here) : SHAPELESS;
  if (isList(value))
    return value.map((child, index) => write(child, shape.item, joinPointer(at, index), writing));
  const keys = Object.keys(value).sort(
    (one, other) => rankOf(one, shape) - rankOf(other, shape) || (one < other ? -1 : 1),
  );
  return Object.fromEntries(
    keys.map((key) => {
      const field = shape.fields.get(key)?.schema ?? shape.others;
      return [escapeText(key), write(value[key] ?? null, field, joinPointer(at, key), writing)];
    }),
  );
}

/** What a schema says of the fields and items of a value; the fields that it names have their places in the order of `fmt`. */
type Shape = {
  readonly fields: ReadonlyMap<string, { readonly rank: number; readonly schema: Json }>;
  readonly others: Json | undefined;
  readonly item: Json | undefined;
};

const SHAPELESS: Shape = { fields: new Map(), others: undefined, item: undefined };
const shapeOf = memoize((schema: JsonObject): Shape => ({
  fields: new Map([...fieldsOf(schema)].map(([key, field], rank) => [key, { rank, schema: field }])),
  others: othersOf(schema),
  item: itemOf(schema),
}));

function rankOf(key: string, { fields }: Shape): number {
  return fields.get(key)?.rank ?? fields.size;
}
