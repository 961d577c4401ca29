import type { Kind } from '../model/kind.ts';
import type { Resource } from '../model/resource.ts';
import type { Json } from '../model/json/json.ts';

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

/** What a gateway can be asked beside its lists and writes: nothing of this is state. Every call rejects with a GatewayError. */
export type GatewayOperations = {
  /**
   * A JWT for a LOCAL service account (gateway-api A.6 Token). Rejects with `not-found` for an unknown account or virtual
   * cluster, `conflict` for an EXTERNAL account or a gateway without local users. Tokens are neither listed nor revoked.
   */
  readonly issueToken: (request: TokenRequest) => Promise<string>;
  /** The interceptors that run for a principal, in their order (A.6 Resolve request, B.4); `interceptor` is their kind. */
  readonly resolveInterceptors: (interceptor: Kind, client: ResolveRequest) => Promise<readonly Resource[]>;
  /** A.7; needs no credentials. */
  readonly readHealth: () => Promise<Health>;
  /** `3.21.0`, from A.8 or, before 3.9.0, from A.7; undefined where the gateway does not tell. */
  readonly readVersion: () => Promise<string | undefined>;
  /**
   * Makes a physical cluster use the connection of another one, on this instance only and until it restarts (C.6, B.8). v1 is
   * there before 3.21.0, v2 from there on; the form of v2 is a guess (G).
   */
  readonly switchCluster: (request: ClusterSwitch) => Promise<void>;
  /** The connection that a physical cluster uses now, with secrets: only to compare it. v1 alone shows it (C.6). */
  readonly readConnection: (cluster: string) => Promise<Json>;
  /** Its own description of its API, OpenAPI as YAML or JSON (A.1); undefined where it has none. */
  readonly readDescription: () => Promise<string | undefined>;
  /** What v1 answers to a GET of this path (C); undefined where it has nothing there. */
  readonly readV1: (path: `/admin/${string}`) => Promise<Json | undefined>;
};

export type TokenRequest = {
  readonly username: string;
  /** Default: passthrough. */
  readonly vCluster?: string;
  readonly lifeTimeSeconds: number;
};

type ClusterSwitch = { readonly api: 'v1' | 'v2'; readonly from: string; readonly to: string };

/** A client that connects. */
export type ResolveRequest = {
  readonly username?: string;
  readonly groups?: readonly string[];
  /** Default: passthrough. */
  readonly vCluster?: string;
};

export type Health = { readonly live: boolean; readonly ready: boolean };

/** The operations that change nothing. */
export type ReadingOperations = Omit<GatewayOperations, 'issueToken' | 'switchCluster'>;

/** What one request found out. Times are in milliseconds since 1970, of this machine. */
export type Reply = {
  readonly sentAt: number;
  readonly receivedAt: number;
  /** The Date header, which is cut to seconds. */
  readonly date?: number | undefined;
} &
  /** Without a body that is not JSON, or long. */
  ({ readonly status: number; readonly body: Json | undefined } | { readonly error: GatewayError });

/** A certificate of a gateway, or of an authority that signed it. */
export type Certificate = {
  /** `CN=gateway, O=Example` */
  readonly subject: string;
  readonly issuer: string;
  /** Milliseconds since 1970. */
  readonly validFrom: number;
  readonly validTo: number;
  /** The same as days: `2026-03-01`. */
  readonly from: string;
  readonly until: string;
};

/** The TLS connection to a gateway; `fault` is why its certificate is not trusted. */
export type Tls =
  | { readonly chain: readonly Certificate[]; readonly fault?: string | undefined }
  | { readonly unread: string };

/** What requests that change nothing find out about a gateway. */
export type Facts = {
  readonly url: string;
  /** When it was examined. */
  readonly now: number;
  /** Whether the connection has a user, a password or an Authorization header. */
  readonly hasCredentials: boolean;
  /** Whether a certificate must be trusted. */
  readonly isVerified: boolean;
  /** Undefined for plain http. */
  readonly tls: Tls | undefined;
  /** `GET /health/live`, several times one after the other. */
  readonly pings: readonly Reply[];
  /** Undefined where no connection was made. */
  readonly answers: Answers | undefined;
};

export type Answers = {
  /** `GET /health/ready` */
  readonly ready: Reply;
  /** `GET /health` */
  readonly health: Reply;
  /** `GET /gateway/v2/analytics/lived` */
  readonly usage: Reply;
  /** A list that needs credentials. */
  readonly list: Reply;
  /** The dry run of a write that is always refused. */
  readonly write: Reply;
};

/** A gateway that can be examined: not one in this process. */
export type Examinable = {
  /**
   * Sends requests that change nothing. `reserved` is a kind with built-in objects: its list is read, and the dry run is of an object
   * with a built-in name, which every gateway refuses. Rejects for a bug only.
   */
  readonly examine?: (reserved: Kind, now: () => Date) => Promise<Facts>;
};
