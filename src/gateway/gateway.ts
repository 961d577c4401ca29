import type { Kind } from '../model/kind.ts';
import type { Resource } from '../model/resource.ts';

/** The admin API as gwconf needs it, and nothing more. Every call rejects with a GatewayError. */
export type Gateway = {
  /** Where it is, for people and for saved plans; never holds credentials. */
  readonly url: string;
  /** How many calls in flight together suit it; where it does not say, a few. */
  readonly parallelism?: number;
  /** Every resource of the kind, in no particular order, as the gateway spells it. */
  list(kind: Kind): Promise<readonly Resource[]>;
  /** Creates or replaces; the body must carry the whole identity. */
  put(kind: Kind, resource: Resource): Promise<UpsertResult>;
  /** Deletes by whole identity; `absent` when it was not there. */
  remove(kind: Kind, resource: Resource): Promise<'removed' | 'absent'>;
  /** Lets go of connections and files, after what was written is safe. */
  close(): Promise<void>;
};

/** A gateway for those who only look: whatever they do with it, it cannot become a write. */
export type ReadableGateway = Pick<Gateway, 'url' | 'list' | 'close'>;

/** The reading half of a gateway; the other is not there, not even for code that casts. */
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
  | 'not-understood'; // an answer that is not what the API gives

/** What the world did wrong, in its own words where it gave any. */
export class GatewayError extends Error {
  readonly code: GatewayErrorCode;
  /** HTTP status, where there was an answer. */
  readonly status: number | undefined;
  /** What to do about it, an imperative. */
  readonly hint: string | undefined;
  /** How long the gateway asks to be left alone. */
  readonly retryAfterMs: number | undefined;
  /** The call never left, so nothing can have come of it. */
  readonly unsent: boolean;

  constructor(
    code: GatewayErrorCode,
    message: string,
    about: { status?: number; hint?: string; cause?: unknown; retryAfterMs?: number; unsent?: boolean } = {},
  ) {
    super(message, about.cause === undefined ? undefined : { cause: about.cause });
    this.name = 'GatewayError';
    this.code = code;
    this.status = about.status;
    this.hint = about.hint;
    this.retryAfterMs = about.retryAfterMs;
    this.unsent = about.unsent === true;
  }
  /** The same error in other words. */
  mapText(word: (text: string) => string): GatewayError {
    return new GatewayError(this.code, word(this.message), {
      ...(this.status === undefined ? {} : { status: this.status }),
      ...(this.hint === undefined ? {} : { hint: word(this.hint) }),
      ...(this.retryAfterMs === undefined ? {} : { retryAfterMs: this.retryAfterMs }),
      unsent: this.unsent,
      cause: this.cause,
    });
  }
}
