import { Ajv, type Options } from 'ajv';
import type { TSchema } from 'typebox';
import { getOrAdd, mapValues } from './collect.ts';
import type { Check } from './check.ts';
import { isList, isObject, type Json, type JsonObject } from './json/json.ts';
import { POINTER_PATTERN } from './shape.ts';

// Used by the build and from source; a built gwconf has the compiled checks.

/** Shapes with names, each as a check that is compiled when it is first asked for. */
export function compileShapes<Name extends string>(
  shapes: Readonly<Record<Name, JsonObject>>,
): Readonly<Record<Name, () => Check>> {
  const compiled = new Map<string, Check>();
  const entries = Object.entries<JsonObject>(shapes).map(([name, schema]) => {
    const compile = (): Check => new Ajv(CHECKING).compile(schema) as Check; // what is read is JSON
    return [name, () => getOrAdd(compiled, name, compile)] as const;
  });
  return Object.fromEntries(entries) as Record<Name, () => Check>; // one for each
}

/** As fast to load as they can be: a file has one fault at a time, and messages are ours. */
export const CHECKING: Options = {
  strict: false,
  strictNumbers: true,
  meta: false,
  validateSchema: false,
  validateFormats: false,
  discriminator: true,
  messages: false,
  inlineRefs: false,
};

/** A shape as a JSON Schema of draft 7, with its named parts under `definitions`. */
export function publish(shape: TSchema): JsonObject {
  const {
    title = '',
    description = '',
    ...whole
  } = hoist(shape, ({ discriminator: _, ...schema }) => schema);
  return { $schema: 'http://json-schema.org/draft-07/schema#', title, description, ...whole };
}

/** A shape to check values with. */
export function checkable(shape: TSchema): JsonObject {
  return hoist(shape, ({ description: _, ...schema }) => schema);
}

/**
 * A shape to check values with, which another program or a later version may have made: fields that it does not know pass, and so
 * does any text whose pattern is not kept: by default that of a pointer, since readers show texts as they are and take pointers apart.
 */
export function tolerant(
  shape: TSchema,
  isKept = (pattern: Json): boolean => pattern === POINTER_PATTERN,
): JsonObject {
  return hoist(shape, ({ description: _, additionalProperties, pattern, ...schema }) => ({
    ...schema,
    ...(additionalProperties === undefined || additionalProperties === false ? {} : { additionalProperties }),
    ...(pattern !== undefined && isKept(pattern) ? { pattern } : {}),
  }));
}

/** With the named parts under `definitions`, each schema changed. */
function hoist(shape: TSchema, change: (schema: JsonObject) => JsonObject): JsonObject {
  const definitions: Record<string, Json> = {};
  const placeAll = (schemas: JsonObject): JsonObject => mapValues(schemas, place);
  const place = (value: Json): Json => {
    if (isList(value)) return value.map(place);
    if (!isObject(value)) return value;
    const { definition, properties, ...rest } = value;
    const schema = (): JsonObject => ({
      ...placeAll(change(rest)),
      ...(isObject(properties) ? { properties: placeAll(properties) } : {}),
    });
    if (typeof definition !== 'string') return schema();
    if (!Object.hasOwn(definitions, definition)) {
      definitions[definition] = {}; // comes before those that it refers to
      definitions[definition] = schema();
    }
    return { $ref: `#/definitions/${definition}` };
  };
  const whole = place(JSON.parse(JSON.stringify(shape)) as Json) as JsonObject; // without the marks of TypeBox
  return Object.keys(definitions).length === 0 ? whole : { ...whole, definitions };
}
