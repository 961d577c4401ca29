import type { JsonObject } from '../model/json/json.ts';

/** The JSON Schema of an object that has these keys and no others. */
export function closed(required: readonly string[], properties: JsonObject): JsonObject {
  return {
    type: 'object',
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
    properties,
  };
}

/** The JSON Schema of text that is not empty. */
export const text = { type: 'string', minLength: 1 };
