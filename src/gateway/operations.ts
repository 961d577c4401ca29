import type { Kind } from '../model/kind.ts';
import type { Resource } from '../model/resource.ts';

/** What a gateway can be asked beside its lists and writes: nothing of this is state. Every call rejects with a GatewayError. */
export type GatewayOperations = {
  /**
   * A JWT for a LOCAL service account (gateway-api A.6 Token). Rejects with `not-found` for an unknown account or virtual
   * cluster, `conflict` for an EXTERNAL account or a gateway without local users. Tokens are neither listed nor revoked.
   */
  issueToken(request: TokenRequest): Promise<string>;
  /** The interceptors that run for a principal, in their order (A.6 Resolve request, B.4); `interceptor` is their kind. */
  resolveInterceptors(interceptor: Kind, principal: Principal): Promise<readonly Resource[]>;
  /** A.7; needs no credentials. */
  readHealth(): Promise<Health>;
  /** `3.21.0`, from A.8 or, before 3.9.0, from A.7; undefined where the gateway does not tell. */
  readVersion(): Promise<string | undefined>;
  /**
   * Sends traffic to another physical cluster, on this instance only and until it restarts (C.6, B.8). Not there where
   * the API for it is not known, as that of v2 (G).
   */
  switchCluster?(clusters: { readonly from: string; readonly to: string }): Promise<void>;
};

export type TokenRequest = {
  readonly username: string;
  /** Default: passthrough. */
  readonly vCluster?: string;
  readonly lifeTimeSeconds: number;
};

export type Principal = {
  readonly username?: string;
  readonly groups?: readonly string[];
  /** Default: passthrough. */
  readonly vCluster?: string;
};

export type Health = { readonly live: boolean; readonly ready: boolean };
