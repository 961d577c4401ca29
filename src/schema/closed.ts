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

/** The JSON Schema of text with a pattern, which messages and editors show in words. */
export function textLike(pattern: string, words: string): JsonObject {
  return { type: 'string', pattern, patternErrorMessage: words };
}

/** The JSON Schema of a date. */
export const date = textLike('^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$', 'a date such as 2027-01-31');

/** The JSON Schema of text that is not empty. */
export const text = { type: 'string', minLength: 1 };
