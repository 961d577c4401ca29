import type { Json, JsonObject } from '../../model/json/json.ts';

/** A response: JSON, text, or only a status. */
export type ApiResponse = {
  readonly status: number;
  readonly body?: Json;
  readonly text?: string;
  /** The header Retry-After, in seconds. */
  readonly retryAfter?: number;
};

/** 200 with JSON. */
export function makeOk(body: Json): ApiResponse {
  return { status: 200, body };
}

/** The gateway refuses in plain text what it cannot decode (gateway-api A.2). */
export function makeUndecodable(what: string): ApiResponse {
  return { status: 400, text: `Invalid value for: ${what}` };
}

/** A body in which null means the same as a missing field. */
export function withoutNulls(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}
