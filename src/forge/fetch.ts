import { rootCertificates } from 'node:tls';
import type { Agent, ProxyAgent, Response as Received } from 'undici';
import { ALL_ADDRESSES, readProxy } from '../gateway/http/target.ts';
import { excess } from '../model/json/extent.ts';
import { ForgeError, type Access } from './forge.ts';
import { waitBefore, type Outcome, type Timing } from './retry.ts';

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

export type Fetch = (url: string, init?: Init) => Promise<Response>;

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
  const origin = new URL(access.place.api).origin;
  const dispatcher = makeDispatcher(undici, access);
  const endsAt = timing.now().getTime() + LONGEST_MS;
  const { mostBytes = MOST_BYTES_IN_ALL } = access;
  let received = 0;
  const send = async (url: string, init: Init): Promise<Outcome> => {
    if (new URL(url).origin !== origin)
      throw new ForgeError(`the next page of ${origin} is on another host, which does not get the token`);
    const signal = AbortSignal.timeout(access.timeoutMs ?? TIMEOUT_MS);
    try {
      const response = await undici.fetch(url, { ...init, redirect: 'manual', dispatcher, signal });
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
      return { failure: codeOf(error) };
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
        const outcome = await send(url, init);
        const wait = waitBefore(outcome, { attempt, mayRepeat }, timing);
        const result = 'failure' in outcome ? outcome : { status: outcome.status };
        trace?.({ method: init.method ?? 'GET', url: url.split('?')[0], attempt, ...result, wait });
        if (wait === undefined) return responseOf(outcome, origin);
        await timing.wait(wait);
      }
    };
  return { repeat: fetchWith(true), once: fetchWith(false), close: () => dispatcher.close() };
}

type Undici = { readonly Agent: typeof Agent; readonly ProxyAgent: typeof ProxyAgent };

function makeDispatcher(undici: Undici, { place, ca, proxy, noProxy }: Access): Agent {
  const trusted = ca === undefined ? {} : { ca: [...rootCertificates, ca] };
  const connect = { ...ALL_ADDRESSES, ...trusted, timeout: CONNECT_TIMEOUT_MS };
  const found = readProxy(new URL(place.api), proxy, noProxy);
  if (found === undefined) return new undici.Agent({ connect });
  const { origin: uri, authorization } = found;
  return new undici.ProxyAgent({
    uri,
    requestTls: connect,
    proxyTls: connect,
    ...(authorization === undefined ? {} : { token: authorization }),
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

function responseOf(outcome: Outcome, origin: string): Response {
  if ('failure' in outcome) throw unreachable(outcome.failure, origin);
  const { status, headers, text } = outcome;
  const location = headers.get('location');
  if (status >= 300 && status < 400 && location !== null)
    throw new ForgeError(`${origin} redirects to another address (${status}), which does not get the token`, {
      status,
      hint: 'check --api-url, and whether the repository was renamed',
    });
  // The text is not compressed any more.
  headers.delete('content-encoding');
  headers.delete('content-length');
  return new Response([204, 205].includes(status) ? null : text, { status, headers });
}

function unreachable(code: string, origin: string): ForgeError {
  return new ForgeError(`${origin} cannot be reached (${code})`, {
    hint: 'check --api-url, --proxy (HTTPS_PROXY) and --ca-cert, and the network in between',
  });
}

/** The code of the innermost cause; its message may hold what was sent. */
function codeOf(error: unknown): string {
  let code = error instanceof Error ? error.name : 'Error';
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1)
    if ('code' in at && typeof at.code === 'string') code = at.code;
  return code;
}
