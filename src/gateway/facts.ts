import type { Json } from '../model/json/json.ts';
import type { Kind } from '../model/kind.ts';
import type { GatewayError } from './gateway.ts';

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
