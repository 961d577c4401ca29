import type { Json, JsonObject } from '../../model/json/json.ts';

/** What the gateway says: JSON, a text, or nothing beside the status. */
export type ApiResponse = {
  readonly status: number;
  readonly body?: Json;
  readonly text?: string;
  /** Seconds, for the header of that name. */
  readonly retryAfter?: number;
};

/** 200 with JSON. */
export function makeOk(body: Json): ApiResponse {
  return { status: 200, body };
}

/** The real gateway refuses in plain text what it cannot decode (gateway-api A.2). */
export function makeUndecodable(what: string): ApiResponse {
  return { status: 400, text: `Invalid value for: ${what}` };
}

/** A body in which null says no more than a field left out would. */
export function withoutNulls(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}
