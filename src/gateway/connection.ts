import type { JsonObject, Pointer } from '../model/json/json.ts';
import type { Address } from '../model/resource.ts';
import type { Template } from '../model/state.ts';

/** How to reach a gateway, as plain data; flags, files and the environment are read elsewhere. */
export type Connection = {
  /**
   * The root of the admin API, http or https, without `/gateway/v2`: `https://gateway.example:8888`, with a path if a load
   * balancer adds one. Credentials in it are used if `user` is not set.
   */
  readonly url: string;
  /** What has to be corrected if it is wrong, such as a field of the project file; default: `--url`. */
  readonly urlName?: string | undefined;
  /** HTTP Basic; gateway-api A.1. */
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  /** Where the user and the password come from, in words for who has to correct them: a flag, a variable, a file. */
  readonly origins?: { readonly user: string; readonly password: string } | undefined;
  /** PEM of the authorities to trust, instead of those of Node.js. */
  readonly ca?: string | undefined;
  /** PEM of the client certificate, for GATEWAY_HTTPS_CLIENT_AUTH; gateway-api D.4. */
  readonly cert?: string | undefined;
  /** PEM of the private key of `cert`, not encrypted. */
  readonly key?: string | undefined;
  /** Accepts any certificate of the gateway. */
  readonly insecure?: boolean | undefined;
  /** The proxy to use, `http://user:password@proxy.example:3128`. Default scheme: http. */
  readonly proxy?: string | undefined;
  /** Hosts that need no proxy, in the form of the variable NO_PROXY. */
  readonly noProxy?: string | undefined;
  /** Sent with each call; they override those of gwconf. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Milliseconds from the start of a call to the end of its response. */
  readonly timeoutMs?: number | undefined;
  /** Bytes of one response; a longer one is an error. */
  readonly maxAnswerBytes?: number | undefined;
  /** `gwconf/1.2.3` */
  readonly userAgent: string;
};

/** What one user of a connection is told of its calls. */
export type CallListener = {
  /**
   * Told of each response while it comes in: its path, and the bytes so far; and of all of it, with how many values it has.
   * A problem that it returns ends the call.
   */
  readonly checkSize?:
    | ((path: string, bytes: number, values?: number) => { message: string; hint: string } | undefined)
    | undefined;
  /**
   * Gets an event for each call and its result, for a log: `call` (a number), `event` (`request`, `answer` or `failure`),
   * `method`, `url`, `headers`, `body`, `status`, `why`. Secrets are hidden as far as the kind and `filled` mark them.
   */
  readonly trace?: ((event: JsonObject) => void) | undefined;
  /**
   * For `trace`: fields of a resource that variables fill in, with their old and live values; undefined for a resource whose
   * declaration is not known, of which no value is shown.
   */
  readonly filled?: ((address: Address) => ReadonlyMap<Pointer, Template> | undefined) | undefined;
};

/** A gateway needs some seconds to list a hundred thousand resources. */
export const DEFAULT_TIMEOUT_MS = 60_000;

/** Milliseconds for TCP and TLS together; a shorter `timeoutMs` wins. */
export const CONNECT_TIMEOUT_MS = 10_000;

/** More than a hundred thousand resources, and less than a process can hold. */
export const MAX_ANSWER_BYTES = 256_000_000;

/** Bytes that are read of a refusal: enough for its reason. */
export const MAX_REFUSAL_BYTES = 1_000_000;
