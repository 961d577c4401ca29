import { GatewayError, type GatewayErrorCode } from '../../gateway/gateway.ts';
import type { Json, JsonObject } from '../../model/json/json.ts';
import { printJson } from '../../model/json/json-text.ts';

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

/** A refusal of the gateway, with its error body: a title, and often a sentence about this case. */
export class Refusal extends GatewayError {
  declare readonly status: number;
  readonly title: string;
  readonly msg: string | undefined;

  constructor(status: number, title: string, msg?: string) {
    super(codes[status] ?? 'failed', msg ?? title, { status });
    this.title = title;
    this.msg = msg;
  }

  get response(): ApiResponse {
    const { status, title, msg } = this;
    return { status, body: msg === undefined ? { title } : { title, msg } };
  }
}

const codes: { readonly [status: number]: GatewayErrorCode } = {
  400: 'refused',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not-found',
  409: 'conflict',
};

/** For an unknown path or method: not an error body of the API. */
export class NotServed extends Refusal {
  override get response(): ApiResponse {
    return { status: this.status, text: this.message };
  }
}

/** A value in a sentence: a string as it is, others as JSON. */
export function formatValue(value: Json | undefined): string {
  return typeof value === 'string' ? value : printJson(value ?? null);
}
