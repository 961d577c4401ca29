import type { JsonObject } from '../../model/json/json.ts';

export const text: JsonObject = { type: 'string', minLength: 1 };
export const textOrNull: JsonObject = { type: ['string', 'null'], minLength: 1 };
export const flag: JsonObject = { type: 'boolean' };
export const flagOrNull: JsonObject = { type: ['boolean', 'null'] };

export function object(required: readonly string[], properties: JsonObject): JsonObject {
  return { type: 'object', required, properties };
}
