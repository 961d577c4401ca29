import { isList, isObject, valueOf, type Json } from '../model/json/json.ts';

/** The fields that a JSON Schema names, with theirs, in its order; where it is a choice, those of all choices. */
export function fieldsOf(schema: Json | undefined): ReadonlyMap<string, Json> {
  const fields = new Map<string, Json>();
  for (const shape of shapesOf(schema)) {
    const properties = valueOf(shape, 'properties');
    for (const [key, field] of isObject(properties) ? Object.entries(properties) : []) {
      if (!fields.has(key)) fields.set(key, field);
    }
  }
  return fields;
}

/** The schema of one field, also of one that the user makes up. */
export function fieldOf(schema: Json | undefined, key: string): Json | undefined {
  return fieldsOf(schema).get(key) ?? othersOf(schema);
}

/** The schema of the fields that the user makes up. */
export function othersOf(schema: Json | undefined): Json | undefined {
  return shapesOf(schema)
    .map((shape) => valueOf(shape, 'additionalProperties'))
    .find(isObject);
}

/** Whether a map must have a field. */
export function isRequired(schema: Json | undefined, key: string): boolean {
  const required = valueOf(schema, 'required');
  return isList(required) && required.includes(key);
}

/** The schema of the items of a list. */
export function itemOf(schema: Json | undefined): Json | undefined {
  return shapesOf(schema)
    .map((shape) => valueOf(shape, 'items'))
    .find(isObject);
}

function shapesOf(schema: Json | undefined): readonly Json[] {
  if (!isObject(schema)) return [];
  const choices = ['allOf', 'anyOf', 'oneOf'].flatMap((keyword) => valueOf(schema, keyword) ?? []);
  return [schema, ...(isList(choices) ? choices.flatMap(shapesOf) : [])];
}
