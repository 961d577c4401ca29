import { rootCertificates } from 'node:tls';
import type { Agent, ProxyAgent, Response as Received } from 'undici';
import { ALL_ADDRESSES, readProxy } from '../gateway/http/target.ts';
import { present } from '../model/collect.ts';
import { excess } from '../model/json/extent.ts';
import { ForgeError, type Access } from './forge.ts';

/** A forge lists up to a hundred comments on a page, of up to a megabyte. */
const MOST_BYTES = 128_000_000;
/** All responses together, and all requests with the waits between them. */
const MOST_BYTES_IN_ALL = 512_000_000;
const LONGEST_MS = 30 * 60_000;
const CONNECT_TIMEOUT_MS = 10_000;
const TIMEOUT_MS = 60_000;

type Init = {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | null;
};

type Fetch = (url: string, init?: Init) => Promise<Response>;

/** The way to a forge. */
export type Wire = {
  /** For requests that may have their effect twice; sent again after any passing failure. */
  readonly repeat: Fetch;
  /** For a request that must not; sent again only if a limit stopped it. */
  readonly once: Fetch;
  readonly close: () => Promise<void>;
};

/** Told of each attempt, without headers and bodies. */
export type Trace = (event: object) => void;

/**
 * A `fetch` that goes to the host of the API only, follows no redirect, reads no endless response, and waits where the forge asks
 * for it: what a request carries is a token.
 */
export async function openWire(access: Access, timing: Timing, trace: Trace | undefined): Promise<Wire> {
  const { default: undici } = await import('undici');
  const origin = new URL(access.pullRequest.api).origin;
  const dispatcher = makeDispatcher(undici, access);
  const endsAt = timing.now().getTime() + LONGEST_MS;
  const { mostBytes = MOST_BYTES_IN_ALL } = access;
  let received = 0;
  const send = async (url: string, init: Init): Promise<SendResult> => {
    if (new URL(url).origin !== origin)
      throw new ForgeError(`the next page of ${origin} is on another host, which does not get the token`);
    const signal = AbortSignal.timeout(access.timeoutMs ?? TIMEOUT_MS);
    let isBegun = false;
    try {
      const response = await undici.fetch(url, { ...init, redirect: 'manual', dispatcher, signal });
      isBegun = true;
      const text = await readText(response, origin, (bytes) => {
        received += bytes;
        if (received > mostBytes)
          throw new ForgeError(`the responses of ${origin} are longer than ${mostBytes / 1e6} MB together`);
      });
      const isJson = /json/i.test(response.headers.get('content-type') ?? '');
      const much = isJson ? excess(text) : undefined;
      if (much !== undefined) throw new ForgeError(`a response of ${origin} ${much}`);
      return { status: response.status, headers: new Headers([...response.headers]), text };
    } catch (error) {
      if (error instanceof ForgeError) throw error;
      return { failure: codeOf(error), isBegun };
    }
  };
  const fetchWith =
    (mayRepeat: boolean): Fetch =>
    async (url, init = {}) => {
      for (let attempt = 1; ; attempt += 1) {
        if (timing.now().getTime() > endsAt)
          throw new ForgeError(`the requests to ${origin} take longer than ${LONGEST_MS / 60_000} minutes`, {
            hint: 'run the job again later',
          });
        const sent = await send(url, init);
        const wait = waitBefore(sent, { attempt, mayRepeat }, timing);
        const result = 'failure' in sent ? sent : { status: sent.status };
        trace?.({ method: init.method ?? 'GET', url: url.split('?')[0], attempt, ...result, wait });
        if (wait === undefined) return responseOf(sent, origin);
        await timing.wait(wait);
      }
    };
  return { repeat: fetchWith(true), once: fetchWith(false), close: () => dispatcher.close() };
}

function makeDispatcher(
  undici: { readonly Agent: typeof Agent; readonly ProxyAgent: typeof ProxyAgent },
  { pullRequest, ca, proxy, noProxy }: Access,
): Agent {
  const trusted = ca === undefined ? {} : { ca: [...rootCertificates, ca] };
  const connect = { ...ALL_ADDRESSES, ...trusted, timeout: CONNECT_TIMEOUT_MS };
  const found = readProxy(new URL(pullRequest.api), proxy, noProxy);
  if (found === undefined) return new undici.Agent({ connect });
  const { origin: uri, authorization } = found;
  return new undici.ProxyAgent({
    uri,
    requestTls: connect,
    proxyTls: connect,
    ...present({ token: authorization }),
  }) as unknown as Agent; // both dispatch and close
}

async function readText(response: Received, origin: string, note: (bytes: number) => void): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += (chunk as Uint8Array).length;
    note((chunk as Uint8Array).length);
    if (bytes > MOST_BYTES)
      throw new ForgeError(`a response of ${origin} is longer than ${MOST_BYTES / 1e6} MB`);
    text += decoder.decode(chunk as Uint8Array, { stream: true });
  }
  return text;
}

function responseOf(sent: SendResult, origin: string): Response {
  if ('failure' in sent && sent.isBegun === true)
    throw new ForgeError(`an answer of ${origin} was cut off (${sent.failure})`, {
      hint: 'run the job again later; check --proxy (HTTPS_PROXY), and the network in between',
    });
  if ('failure' in sent)
    throw new ForgeError(`${origin} cannot be reached (${sent.failure})`, {
      hint: 'check --api-url, --proxy (HTTPS_PROXY) and --ca-cert, and the network in between',
    });
  const { status, headers, text } = sent;
  const location = headers.get('location');
  if (status >= 300 && status < 400 && location !== null)
    throw new ForgeError(`${origin} redirects to another address (${status}), which does not get the token`, {
      status,
      hint: 'check --api-url, and whether the repository was renamed',
    });
  if (status < 200 || status === 304 || status > 599)
    throw new ForgeError(`${origin} answered ${status}, which is no answer to this request`, { status });
  // The text is not compressed any more.
  headers.delete('content-encoding');
  headers.delete('content-length');
  return new Response([204, 205].includes(status) ? null : text, { status, headers });
}

/** The code of the innermost cause; its message may hold what was sent. */
function codeOf(error: unknown): string {
  let code = error instanceof Error ? error.name : 'Error';
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1)
    if ('code' in at && typeof at.code === 'string') code = at.code;
  return code;
}

/** Time and chance are passed in, so that tests need neither. */
export type Timing = {
  readonly wait: (ms: number) => Promise<void>;
  readonly now: () => Date;
  /** A random number from 0 to 1. */
  readonly random: () => number;
};

/** A response with its whole body, or the code of the failure that prevented it, and whether it had begun. */
export type SendResult = Answer | { readonly failure: string; readonly isBegun?: boolean };
type Answer = { readonly status: number; readonly headers: Headers; readonly text: string };

const MOST_ATTEMPTS = 5;
/** A limit that lasts longer is left to the next run. */
const LONGEST_WAIT_MS = 5 * 60_000;
/** The wait that GitHub asks for when it names no time. */
const SECONDARY_LIMIT_MS = 60_000;
const FIRST_WAIT_MS = 1_000;
/** Failures of a connection that may pass; an unknown name or a wrong certificate does not. */
const PASSING: ReadonlySet<string> = new Set([
  ...['ECONNRESET', 'ECONNREFUSED', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'EAI_AGAIN', 'TimeoutError'],
  ...['ENETUNREACH', 'EHOSTUNREACH', 'UND_ERR_SOCKET', 'UND_ERR_CONNECT_TIMEOUT'],
  ...['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'],
]);

/**
 * The milliseconds after which a request is sent again; undefined if it is not. One that a limit stopped had no effect, and can
 * always be sent again; after any other failure, only one that may have its effect twice.
 */
export function waitBefore(
  sent: SendResult,
  { attempt, mayRepeat }: { readonly attempt: number; readonly mayRepeat: boolean },
  { random, now }: Pick<Timing, 'random' | 'now'>,
): number | undefined {
  if (attempt >= MOST_ATTEMPTS) return undefined;
  const backOff = FIRST_WAIT_MS * 2 ** (attempt - 1) * (0.5 + random() / 2);
  if ('failure' in sent) return mayRepeat && PASSING.has(sent.failure) ? backOff : undefined;
  const asked = askedWait(sent, now());
  if (isLimit(sent)) return within(asked ?? (isSecondary(sent) ? SECONDARY_LIMIT_MS : backOff));
  const isBusy = [500, 502, 503, 504].includes(sent.status);
  return isBusy && mayRepeat ? within(asked ?? backOff) : undefined;
}

/** Whether the server refused a request only because there were too many. */
function isLimit(response: Answer): boolean {
  if (response.status === 429) return true;
  const { headers } = response;
  const isOver = headers.has('retry-after') || headers.get('x-ratelimit-remaining') === '0';
  return response.status === 403 && (isOver || isSecondary(response));
}

function isSecondary({ text }: Answer): boolean {
  return /secondary rate limit/i.test(text);
}

/** The wait that the headers of GitHub, GitLab and Bitbucket ask for. */
function askedWait({ headers }: Answer, now: Date): number | undefined {
  const after = headers.get('retry-after') ?? '';
  if (/^\d+$/.test(after)) return Number(after) * 1000;
  const date = Date.parse(after);
  if (!Number.isNaN(date)) return Math.max(0, date - now.getTime());
  const reset = headers.get('x-ratelimit-reset') ?? headers.get('ratelimit-reset') ?? '';
  // A second more, because the time is rounded.
  return /^\d+$/.test(reset) ? Math.max(0, Number(reset) * 1000 - now.getTime()) + 1000 : undefined;
}

function within(ms: number): number | undefined {
  return ms > LONGEST_WAIT_MS ? undefined : ms;
}
