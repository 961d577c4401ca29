import type { Connection } from '../connection.ts';
import { CONNECT_TIMEOUT_MS, DEFAULT_TIMEOUT_MS, MAX_ANSWER_BYTES } from '../connection.ts';
import { GatewayError } from '../gateway.ts';
import { parseUrl, authorityOf, readProxy, decodePart, type Proxy } from './proxy.ts';
import { makeSanitizer, type Sanitize } from './response.ts';

/** A connection after parsing: where calls go, what they carry, and how messages name it. */
export type Target = {
  /** Without credentials and trailing slash. */
  readonly url: string;
  readonly origin: string;
  /** The path before `/gateway/v2`: empty, or without trailing slash. */
  readonly prefix: string;
  /** `gateway.example:8888`, for messages. */
  readonly authority: string;
  readonly proxy: Proxy | undefined;
  /** Of every call; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly maxAnswerBytes: number;
  readonly checkSize: Connection['checkSize'];
  readonly sanitize: Sanitize;
  readonly given: {
    readonly credentials: boolean;
    readonly ca: boolean;
    readonly cert: boolean;
  };
};

/** Throws a GatewayError for what is wrong without a call. */
export function readTarget(connection: Connection): Target {
  const url = readUrl(connection.url);
  const { user, password } = readCredentials(connection, url);
  const token = Buffer.from(`${user ?? ''}:${password ?? ''}`).toString('base64');
  const proxy = readProxy(url, connection.proxy, connection.noProxy);
  const headers = readHeaders(connection.headers ?? {});
  let end = url.pathname.length;
  while (url.pathname[end - 1] === '/') end -= 1;
  const prefix = url.pathname.slice(0, end);
  if ((connection.cert === undefined) !== (connection.key === undefined)) {
    throw new GatewayError('untrusted', 'a client certificate and its private key must be given together', {
      hint: 'set both --client-cert and --client-key (CDK_CERT, CDK_KEY), or neither',
    });
  }
  const timeoutMs = connection.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  return {
    url: `${url.origin}${prefix}`,
    origin: url.origin,
    prefix,
    authority: authorityOf(url),
    proxy,
    headers: {
      accept: 'application/json',
      'accept-encoding': 'identity', // so that the limit of bytes counts what is kept
      'user-agent': connection.userAgent,
      ...(user === undefined && password === undefined ? {} : { authorization: `Basic ${token}` }),
      ...headers,
    },
    timeoutMs,
    connectTimeoutMs: Math.min(CONNECT_TIMEOUT_MS, timeoutMs),
    maxAnswerBytes: connection.maxAnswerBytes ?? MAX_ANSWER_BYTES,
    checkSize: connection.checkSize,
    sanitize: makeSanitizer([
      ...(password === undefined
        ? []
        : [password, encodeURIComponent(Buffer.from(password).toString()), token]),
      ...(proxy?.secrets ?? []),
      // Long enough for a token; short ones are ordinary text.
      ...Object.values(headers).flatMap((value) => value.split(' ').filter((word) => word.length >= 8)),
    ]),
    given: {
      credentials: user !== undefined || password !== undefined || 'authorization' in headers,
      ca: connection.ca !== undefined,
      cert: connection.cert !== undefined,
    },
  };
}

// Never with the text itself, which may contain a password.
function readUrl(text: string): URL {
  const hint = 'write --url (CDK_GATEWAY_BASE_URL) like https://gateway.example:8888';
  const url = parseUrl(text.trim());
  if (url === undefined)
    throw new GatewayError('unreachable', 'the address of the gateway is not a URL', { hint });
  if (url.protocol === 'http:' || url.protocol === 'https:') return url;
  const message = 'the address of the gateway does not begin with http:// or https://';
  throw new GatewayError('unreachable', message, { hint });
}

/** An explicit user does not get the password of the one in the URL. */
function readCredentials(
  { user, password }: Connection,
  url: URL,
): { readonly user: string | undefined; readonly password: string | undefined } {
  const [urlUser, urlPassword] = [url.username, url.password].map((part) =>
    part === '' ? undefined : decodePart(part),
  );
  return { user: user ?? urlUser, password: password ?? (user === undefined ? urlPassword : undefined) };
}

function readHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const read = Object.entries(headers).map(([name, value]): [string, string] => {
    if (/^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      return [name.toLowerCase(), value.trim()];
    }
    throw new GatewayError('unreachable', 'a header contains characters that HTTP does not allow', {
      hint: 'write --header as NAME: VALUE on one line',
    });
  });
  return Object.fromEntries(read);
}
