import type { JsonObject } from '../model/json/json.ts';

/** How to get to a gateway: plain data, whose values somebody else read from flags, files and the environment. */
export type Connection = {
  /**
   * The root of the admin API, http or https: `https://gateway.example:8888`, with a path where a load balancer has
   * put it under one, and without `/gateway/v2`. Credentials in it are used where `user` is not given.
   */
  readonly url: string;
  /** HTTP Basic; gateway-api A.1. */
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  /** PEM text of the authorities to trust, instead of those that Node.js trusts. */
  readonly ca?: string | undefined;
  /** PEM text of the client certificate, for GATEWAY_HTTPS_CLIENT_AUTH; gateway-api D.4. */
  readonly cert?: string | undefined;
  /** PEM text of the private key of `cert`, not encrypted. */
  readonly key?: string | undefined;
  /** Takes any certificate of the gateway's for good. */
  readonly insecure?: boolean | undefined;
  /** The proxy to go through, `http://user:password@proxy.example:3128`; http where it names no scheme. */
  readonly proxy?: string | undefined;
  /** Hosts that are reached without the proxy, spelled as in the variable NO_PROXY. */
  readonly noProxy?: string | undefined;
  /** Sent with each call; they win over those that gwconf makes itself. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Milliseconds to wait for an answer, from the call to the end of the answer. */
  readonly timeoutMs?: number | undefined;
  /** Bytes of one answer; a longer one is an error. */
  readonly maxAnswerBytes?: number | undefined;
  /** `gwconf/1.2.3` */
  readonly userAgent: string;
  /**
   * Told of every call for operators: `call` counts them; `event` is `request`, `answer` or `failure`; then `method`,
   * `url`, `headers`, `body`, `status`, `why`. Secrets that gwconf can know of without the files are hidden.
   */
  readonly trace?: ((event: JsonObject) => void) | undefined;
};

/** A list of a hundred thousand resources takes a gateway some seconds. */
export const DEFAULT_TIMEOUT_MS = 60_000;

/** Milliseconds for TCP and TLS together; a shorter `timeoutMs` wins. */
export const CONNECT_TIMEOUT_MS = 10_000;

/** More than a hundred thousand resources, and less than a process has room for. */
export const MAX_ANSWER_BYTES = 256_000_000;

/** Bytes that are read of an answer which is no success: enough for its reason. */
export const MAX_REFUSAL_BYTES = 1_000_000;
