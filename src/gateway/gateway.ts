import type { Kind } from '../model/kind.ts';
import type { Resource } from '../model/resource.ts';

/** The state that a gateway holds: lists and writes. Every call rejects with a GatewayError. */
export type Gateway = {
  /** For messages and saved plans; never contains credentials. */
  readonly url: string;
  /** How many calls in flight together suit it. */
  readonly parallelism?: number;
  /** Every resource of the kind, as the gateway returns it and in no particular order. */
  list(kind: Kind): Promise<readonly Resource[]>;
  /** Creates or replaces; the resource must have the whole identity. */
  put(kind: Kind, resource: Resource): Promise<UpsertResult>;
  /** Deletes by whole identity; `absent` if it did not exist. */
  remove(kind: Kind, resource: Resource): Promise<'removed' | 'absent'>;
  /** Releases connections and files, once what was written is saved. */
  close(): Promise<void>;
};

/** A gateway that cannot be written to. */
export type ReadableGateway = Pick<Gateway, 'url' | 'list' | 'close'>;

/** The reading half of a gateway; the writing half is not there, even for code that casts. */
export function readOnly(gateway: Gateway): ReadableGateway {
  return { url: gateway.url, list: (kind) => gateway.list(kind), close: () => gateway.close() };
}

export type UpsertResult = 'created' | 'updated' | 'unchanged';

export type GatewayErrorCode =
  | 'unreachable' // no connection, or it broke
  | 'timeout'
  | 'untrusted' // TLS
  | 'unauthorized' // 401
  | 'forbidden' // 403
  | 'refused' // 400
  | 'not-found' // 404
  | 'conflict' // 409
  | 'busy' // 429, 502, 503, 504
  | 'failed' // 500 and other statuses
  | 'not-understood'; // not a response of the API

/** What went wrong on the way to or in a gateway, with its own message if it gave one. */
export class GatewayError extends Error {
  readonly code: GatewayErrorCode;
  /** The HTTP status, if there was a response. */
  readonly status: number | undefined;
  /** What to do about it, in the imperative. */
  readonly hint: string | undefined;
  /** Retry-After: how long the gateway asks clients to wait. */
  readonly retryAfterMs: number | undefined;
  /** The call was never sent, so it had no effect. */
  readonly unsent: boolean;

  constructor(
    code: GatewayErrorCode,
    message: string,
    about: Partial<Pick<GatewayError, 'status' | 'hint' | 'cause' | 'retryAfterMs' | 'unsent'>> = {},
  ) {
    super(message, about.cause === undefined ? undefined : { cause: about.cause });
    this.name = 'GatewayError';
    this.code = code;
    this.status = about.status;
    this.hint = about.hint;
    this.retryAfterMs = about.retryAfterMs;
    this.unsent = about.unsent === true;
  }
  /** The same error with message and hint mapped. */
  mapText(map: (text: string) => string): GatewayError {
    const { code, message, status, hint, cause, retryAfterMs, unsent } = this;
    const about = { status, hint: hint === undefined ? undefined : map(hint), cause, retryAfterMs, unsent };
    return new GatewayError(code, map(message), about);
  }
}
