import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GrowingBytes } from '../model/growing-bytes.ts';
import { excess } from '../model/json/extent.ts';
import { parseJson, printJson } from '../model/json/json-text.ts';
import type { Json } from '../model/json/json.ts';
import { PUBLISHED_PASSWORD } from '../model/secrets/secret-texts.ts';
import { isLoopback } from '../model/text/url.ts';
import type { Endpoint } from './api/route.ts';
import { makeAttempts, type Attempts } from './attempts.ts';
import { splitUrl, type EmbeddedGateway } from './memory.ts';
import { type ApiResponse, makeUndecodable, Refusal, titles } from './responses.ts';

export type User = { readonly username: string; readonly password: string; readonly admin: boolean };
/** One request as it was received. */
export type SeenRequest = {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
};
export type ServerOptions = {
  /** 0 for any free port. */
  readonly port: number;
  readonly host?: string;
  /** Names that clients reach it by, besides `host` and this machine; requests for others get a 421. */
  readonly allowedHosts?: readonly string[];
  /** Users may read, and write with `admin`. Default: DEFAULT_USER. */
  readonly users?: readonly User[];
  /** Called with each response before it is sent. */
  readonly onExchange?: (request: SeenRequest, response: ApiResponse) => void;
  /** Awaited before the response to a write, so that what was confirmed is saved. */
  readonly saved?: () => Promise<void>;
  /** Gets each authorized request; it may call `handle`, and returns what to send. */
  readonly intercept?: (request: SeenRequest, handle: () => ApiResponse) => Promise<Interception>;
  /** In milliseconds, for counting wrong logins. Default: since the process began. */
  readonly now?: () => number;
};
/** What to send: a response, nothing, or a closed connection. */
export type Interception = ApiResponse | 'no-response' | 'drop-connection';

export type Server = {
  readonly url: string;
  /** Stops listening and closes all connections. */
  close(): Promise<void>;
};

const MAX_BODY = 10 * 1024 * 1024;
/** The built-in user of the real gateway. */
export const DEFAULT_USER: User = { username: 'admin', password: PUBLISHED_PASSWORD, admin: true };

/**
 * The admin API of an embedded gateway over HTTP, with Basic authentication (gateway-api A.1, D.4). Rejects when it
 * cannot listen.
 */
export async function serveGateway(embedded: EmbeddedGateway, options: ServerOptions): Promise<Server> {
  const { port, host = '127.0.0.1', allowedHosts = [], users = [DEFAULT_USER], onExchange } = options;
  const login = makeLogin(users, makeAttempts(options.now ?? (() => performance.now())));
  const server = createServer((request, response) => {
    if (!isOwnHost(request.headers.host, { host, allowedHosts })) {
      send(response, new Refusal(421, titles.otherHost).response);
      return;
    }
    if (isFromPage(request.headers)) {
      send(response, new Refusal(403, titles.webPage).response);
      return;
    }
    void exchange(embedded, login, options, request).then(({ result, seen }) => {
      if (result === 'no-response') return;
      if (result === 'drop-connection') {
        response.destroy();
        return;
      }
      onExchange?.(seen, result);
      send(response, result);
    });
  });
  await once(server.listen(port, host), 'listening');
  const address = server.address() as AddressInfo; // listening on a port, not on a pipe
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    close: async () => {
      const closed = once(server.close(), 'close');
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Throws a Refusal 429 where too many were wrong. */
type Login = (request: IncomingMessage) => User | undefined;

async function exchange(
  embedded: EmbeddedGateway,
  login: Login,
  { intercept, saved }: ServerOptions,
  request: IncomingMessage,
): Promise<{ readonly result: Interception; readonly seen: SeenRequest }> {
  const { method = 'GET', url = '/', headers } = request;
  let seen = { method, url, headers, body: '' };
  let refuse = ({ response }: Refusal): ApiResponse => response;
  try {
    const { path, query } = splitUrl(url);
    const endpoint = embedded.endpoint(method, path);
    refuse = endpoint.refuse;
    if (endpoint.access !== 'anyone') authorize(endpoint, login(request));
    if (endpoint.body !== undefined) seen = { ...seen, body: await readBody(request) };
    let changed = false as boolean; // set by handle, which the compiler does not see
    const handle = (): ApiResponse => {
      const response = handleText(endpoint, query, seen.body);
      changed ||= method !== 'GET' && response.status < 300;
      return response;
    };
    const result = intercept === undefined ? handle() : await intercept(seen, handle);
    if (changed) await saved?.();
    return { result, seen };
  } catch (error) {
    const refusal =
      error instanceof Refusal
        ? error
        : new Refusal(500, titles.serverError, error instanceof Error ? error.message : undefined);
    return { result: refuse(refusal), seen };
  }
}

/** Throws a Refusal: 401 for wrong credentials, 403 for a write without admin. */
function authorize({ access }: Endpoint, user: User | undefined): void {
  if (user === undefined) throw new Refusal(401, titles.unauthorized);
  if (access === 'admin' && !user.admin) {
    throw new Refusal(403, titles.forbidden, 'Please contact your administrator.');
  }
}

/** Throws a Refusal 413. */
async function readBody(request: IncomingMessage): Promise<string> {
  const body = new GrowingBytes();
  let size = 0;
  for await (const chunk of request) {
    const bytes = chunk as Buffer; // no encoding is set
    size += bytes.length;
    if (size <= MAX_BODY) body.append(bytes); // read to the end, or the client would not get the response
  }
  if (size > MAX_BODY) throw new Refusal(413, titles.tooLarge, `It may have ${MAX_BODY} bytes`);
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(body.all());
}

function handleText(endpoint: Endpoint, query: Readonly<Record<string, string>>, text: string): ApiResponse {
  if (endpoint.body === undefined || text === '') return endpoint.handle({ query, body: undefined });
  const much = excess(text);
  if (much !== undefined) throw new Refusal(400, titles.badRequest, `The body ${much}`);
  let body: Json;
  try {
    body = parseJson(text);
  } catch {
    return makeUndecodable('body');
  }
  return endpoint.handle({ query, body });
}

function send(response: ServerResponse, { status, body, text, retryAfter }: ApiResponse): void {
  const content = body === undefined ? text : encode(body);
  const type = body === undefined ? 'text/plain; charset=utf-8' : 'application/json';
  response.writeHead(status, {
    ...(content === undefined ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(content) }),
    ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
    ...(status === 401 ? { 'www-authenticate': 'Basic realm="gateway"' } : {}),
  });
  response.end(content);
}

/** As JSON. v1 lists have the largest number of 64 bits, which JavaScript rounds (gateway-api H.6). */
function encode(body: Json): string {
  return printJson(body).replaceAll('"timeoutMs":9223372036854776000', '"timeoutMs":9223372036854775807');
}

/** Compares the digests of all users in constant time: it must not tell which users or passwords are close. */
function makeLogin(users: readonly User[], attempts: Attempts): Login {
  const key = randomBytes(32);
  const digest = (text: string): Buffer => createHmac('sha256', key).update(text).digest();
  const known = users.map((user) => ({ user, expected: digest(`${user.username}:${user.password}`) }));
  return ({ headers: { authorization }, socket: { remoteAddress = '' } }) => {
    if (authorization === undefined) return undefined;
    const secondsLeft = attempts.secondsLeft(remoteAddress);
    if (secondsLeft > 0) throw new Refusal(429, titles.tooManyLogins, `Try again in ${secondsLeft} seconds`);
    const [, encoded = ''] = /^Basic +(\S+)$/i.exec(authorization) ?? [];
    const given = digest(Buffer.from(encoded, 'base64').toString('utf8'));
    const user = known.reduce<User | undefined>(
      (found, { user, expected }) => (timingSafeEqual(given, expected) ? user : found),
      undefined,
    );
    if (user === undefined) attempts.addWrong(remoteAddress);
    return user;
  };
}

/**
 * Whether a browser sent it for a web page. The gateway has no pages, so it is somebody else's; a form needs no permission to send,
 * and the browser may know the login. What a user types into the address bar is of no page.
 */
function isFromPage(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  return headers.origin !== undefined || (site !== undefined && site !== 'none');
}

/**
 * Whether the Host header names this server. A web page can give the address of this machine to a name of its own (DNS
 * rebinding); the browser then sends that name. Addresses have no such name.
 */
export function isOwnHost(
  header: string | undefined,
  { host, allowedHosts }: Required<Pick<ServerOptions, 'host' | 'allowedHosts'>>,
): boolean {
  const [, written = ''] = /^(\[[\da-f:.]+\]|[\w.-]+)(?::\d+)?$/i.exec(header ?? '') ?? [];
  const name = normalize(written);
  const isAddress = name.startsWith('[') || /^\d+(\.\d+){3}$/.test(name);
  const isEverywhere = ['', '0.0.0.0', '::'].includes(host);
  return (
    isLoopback(name) || (isEverywhere && isAddress) || [host, ...allowedHosts].map(normalize).includes(name)
  );
}

/** As the URL parser spells it, which is what browsers send. */
function normalize(host: string): string {
  const url = `http://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}`;
  return URL.canParse(url) ? new URL(url).hostname : host;
}
