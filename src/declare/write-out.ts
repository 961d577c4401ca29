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
import { fieldOf, fieldsOf, itemOf } from '../schema/fields.ts';

/** A resource as the value of a document: keys in the order of `fmt`, `${` escaped, and placeholders at these places. */
export function writeOut(
  value: JsonObject,
  kind: Kind,
  placeholders: ReadonlyMap<Pointer, string>,
): JsonObject {
  const part = kind.part(value);
  const schema = schemaOf(kind);
  return write(value, schema, { part, placeholders, at: '' }) as JsonObject; // an object stays one
}

const schemaOf = memoize(({ schema }: Kind): JsonObject => {
  return { properties: { apiVersion: {}, kind: {}, ...schema } };
});

type Writing = {
  readonly part: Part | undefined;
  readonly placeholders: ReadonlyMap<Pointer, string>;
  readonly at: Pointer;
};

function write(value: Json, schema: Json | undefined, writing: Writing): Json {
  const { part, placeholders, at } = writing;
  if (typeof value !== 'object' || value === null)
    return placeholders.get(at) ?? (typeof value === 'string' ? escapeText(value) : value);
  const shape = part?.path === at ? part.schema : schema;
  if (isList(value)) {
    const item = itemOf(shape);
    return value.map((child, index) => write(child, item, { ...writing, at: joinPointer(at, index) }));
  }
  const ranks = ranksOf(shape);
  const rankOf = (key: string): number => ranks.get(key) ?? ranks.size;
  const keys = Object.keys(value).sort((one, other) => rankOf(one) - rankOf(other) || (one < other ? -1 : 1));
  return Object.fromEntries(
    keys.map((key) => [
      escapeText(key),
      write(value[key] ?? null, fieldOf(shape, key), { ...writing, at: joinPointer(at, key) }),
    ]),
  );
}

function ranksOf(schema: Json | undefined): ReadonlyMap<string, number> {
  return isObject(schema) ? ranks(schema) : NONE;
}

const NONE: ReadonlyMap<string, number> = new Map();
const ranks = memoize(
  (schema: JsonObject) => new Map([...fieldsOf(schema).keys()].map((key, at) => [key, at])),
);
