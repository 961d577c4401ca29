import { lookup, type LookupAddress, type LookupAllOptions } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { type Connection, CONNECT_TIMEOUT_MS, DEFAULT_TIMEOUT_MS, MAX_ANSWER_BYTES } from '../connection.ts';
import { GatewayError } from '../gateway.ts';
import { makeSanitizer, type Sanitize } from './call.ts';
import { decodeUri } from '../../model/text/escape.ts';
import { parseHttpUrl, parseUrl, pathOf, portOf } from '../../model/text/url.ts';

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
  readonly sanitize: Sanitize;
  readonly given: {
    /** What a call logs in with; `user` is one without a password. */
    readonly credentials: 'none' | 'user' | 'password' | 'all';
    readonly urlName: Connection['urlName'];
    /** Where user and password come from, if they are not of the URL. */
    readonly origins: Connection['origins'];
    readonly ca: boolean;
    readonly cert: boolean;
  };
};

/** Throws a GatewayError for what is wrong without a call. */
export function readTarget(connection: Connection): Target {
  const url = readUrl(connection);
  const [urlUser, urlPassword] = [url.username, url.password].map((part) => decodeUri(part) || undefined);
  const user = connection.user ?? urlUser;
  // An explicit user does not get the password of the one in the URL.
  const password = connection.password ?? (connection.user === undefined ? urlPassword : undefined);
  const token = Buffer.from(`${user ?? ''}:${password ?? ''}`).toString('base64');
  const proxy = readProxy(url, connection.proxy, connection.noProxy);
  const headers = readHeaders(connection.headers ?? {});
  const prefix = pathOf(url);
  if ((connection.cert === undefined) !== (connection.key === undefined)) {
    throw new GatewayError('untrusted', 'a client certificate and its private key must be given together', {
      hint: 'set both --client-cert and --client-key (GWCONF_CLIENT_CERT, GWCONF_CLIENT_KEY), or neither',
    });
  }
  for (const [name, flag] of PEM) if (connection[name]?.trim() === '') throw makeEmpty(flag);
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
    sanitize: makeSanitizer([
      ...(password === undefined
        ? []
        : [password, encodeURIComponent(Buffer.from(password).toString()), token]),
      ...(proxy?.secrets ?? []),
      // Long enough for a token; short ones are ordinary text.
      ...Object.values(headers).flatMap((value) => value.split(' ').filter((word) => word.length >= 8)),
    ]),
    given: {
      credentials: givenOf(user, password, 'authorization' in headers),
      urlName: connection.urlName,
      origins: 'authorization' in headers ? undefined : connection.origins,
      ca: connection.ca !== undefined,
      cert: connection.cert !== undefined,
    },
  };
}

const PEM = [
  ['ca', '--ca-cert (GWCONF_CA_CERT)'],
  ['cert', '--client-cert (GWCONF_CLIENT_CERT)'],
  ['key', '--client-key (GWCONF_CLIENT_KEY)'],
] as const;

/** Without text, Node.js takes the public authorities in place of those of --ca-cert, and no client certificate. */
function makeEmpty(flag: string): GatewayError {
  return new GatewayError('untrusted', `the file of ${flag} is empty`, {
    hint: 'name a PEM file; a secret that is mounted may not be there yet',
  });
}

function givenOf(
  user: string | undefined,
  password: string | undefined,
  hasHeader: boolean,
): Target['given']['credentials'] {
  if (hasHeader || (user !== undefined && password !== undefined)) return 'all';
  if (password !== undefined) return 'password';
  return user === undefined ? 'none' : 'user';
}

// Never with the text itself, which may contain a password.
function readUrl({ url: text, urlName = '--url' }: Connection): URL {
  const hint = `write ${urlName} like https://gateway.example:8888`;
  const url = parseUrl(text.trim());
  if (url === undefined)
    throw new GatewayError('unreachable', 'the address of the gateway is not a URL', { hint });
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    const message = 'the address of the gateway does not begin with http:// or https://';
    throw new GatewayError('unreachable', message, { hint });
  }
  if (url.search === '' && url.hash === '') return url;
  throw new GatewayError(
    'unreachable',
    'the address of the gateway has a ? or #, and what follows is in no call',
    {
      hint: `${hint}; a key goes into --header`,
    },
  );
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

/** The proxy to a gateway. */
type Proxy = {
  /** Without credentials. */
  readonly origin: string;
  /** `proxy.example:3128`, for messages. */
  readonly authority: string;
  /** The Proxy-Authorization header. */
  readonly authorization: string | undefined;
  /** Whether the proxy gets requests to forward; otherwise it opens a tunnel. Only plain http, as curl does. */
  readonly forwards: boolean;
  /** To be hidden in messages. */
  readonly secrets: readonly string[];
};

/** The proxy for this gateway, unless `noProxy` lists its host. Throws a GatewayError if it is not a URL. */
export function readProxy(
  gateway: URL,
  proxy: string | undefined,
  noProxy: string | undefined,
): Proxy | undefined {
  if (proxy === undefined || proxy === '' || isListed(gateway, noProxy ?? '')) return undefined;
  const url = parseHttpUrl(/^[a-z][a-z0-9+.-]*:\/\//i.test(proxy) ? proxy : `http://${proxy}`);
  if (url === undefined) {
    // Without the text itself, which may contain a password.
    throw new GatewayError('unreachable', 'the address of the proxy is not an http or https URL', {
      hint: 'write --proxy (HTTPS_PROXY, HTTP_PROXY) like http://proxy.example:3128',
    });
  }
  const [user, password] = [decodeUri(url.username), decodeUri(url.password)];
  const credentials = Buffer.from(`${user}:${password}`).toString('base64');
  return {
    origin: url.origin,
    authority: authorityOf(url),
    authorization: user === '' ? undefined : `Basic ${credentials}`,
    forwards: gateway.protocol === 'http:' && url.protocol === 'http:',
    secrets: [password, url.password, ...(user === '' ? [] : [credentials])],
  };
}

/** `host:port`, also where the port is the scheme's default. */
function authorityOf(url: URL): string {
  return `${url.hostname}:${portOf(url)}`;
}

/** Entries: `*`, `example.com` and `.example.com` (with subdomains), both with an optional port, and `10.0.0.0/8`. */
function isListed(gateway: URL, noProxy: string): boolean {
  // A dot at the end makes no other host of it.
  const host = gateway.hostname.replace(/^\[|\]$|\.$/g, '').toLowerCase();
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      if (entry === '*' || inSubnet(host, entry)) return true;
      const [, name = '', port] = /^(.*?)(?::(\d+))?$/.exec(isIP(entry) === 6 ? `[${entry}]` : entry) ?? [];
      if (port !== undefined && port !== portOf(gateway)) return false;
      const bare = name.replace(/^\[|\]$|\.$/g, '').replace(/^\*?\./, '');
      return host === bare || (isIP(host) === 0 && host.endsWith(`.${bare}`));
    });
}

function inSubnet(host: string, entry: string): boolean {
  const [, address = '', bits = ''] = /^(.+)\/(\d{1,3})$/.exec(entry) ?? [];
  const version = isIP(address);
  if (version === 0 || version !== isIP(host) || Number(bits) > (version === 4 ? 32 : 128)) return false;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  const subnet = new BlockList();
  subnet.addSubnet(address, Number(bits), family);
  return subnet.check(host, family);
}

/** Connection options: each address of a name is tried, with a second for each but the last. */
export const ALL_ADDRESSES = {
  autoSelectFamily: true,
  autoSelectFamilyAttemptTimeout: 1_000,
  lookup: ((hostname, options, callback) => {
    if (!/^(.*\.)?localhost\.?$/i.test(hostname)) {
      lookup(hostname, options, callback);
      return;
    }
    const all: LookupAllOptions = { ...options, all: true };
    lookup(hostname, all, (_, found) => callback(null, withLoopback(found)));
  }) satisfies LookupFunction,
};

/** localhost is both, also where the system knows one of them only (RFC 6761); what the system says comes first. */
function withLoopback(found: readonly LookupAddress[] = []): LookupAddress[] {
  const both = [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ];
  return [...found, ...both.filter(({ address }) => found.every((one) => one.address !== address))];
}

/** What a hint calls the URL: what has to be corrected if it is wrong. */
export function urlNameOf({ given: { urlName } }: Pick<Target, 'given'>): string {
  return urlName ?? '--url';
}
