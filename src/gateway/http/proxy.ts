import { BlockList, isIP } from 'node:net';
import { GatewayError } from '../gateway.ts';

/** The proxy to a gateway. */
export type Proxy = {
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
  const url = parseUrl(/^[a-z][a-z0-9+.-]*:\/\//i.test(proxy) ? proxy : `http://${proxy}`);
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    // Without the text itself, which may contain a password.
    throw new GatewayError('unreachable', 'the address of the proxy is not an http or https URL', {
      hint: 'write --proxy (HTTPS_PROXY, HTTP_PROXY) like http://proxy.example:3128',
    });
  }
  const [user, password] = [decodePart(url.username), decodePart(url.password)];
  const credentials = Buffer.from(`${user}:${password}`).toString('base64');
  return {
    origin: url.origin,
    authority: authorityOf(url),
    authorization: user === '' ? undefined : `Basic ${credentials}`,
    forwards: gateway.protocol === 'http:' && url.protocol === 'http:',
    secrets: [password, url.password, ...(user === '' ? [] : [credentials])],
  };
}

/** Does not throw: the error of the URL constructor contains the text, and so a password. */
export function parseUrl(text: string, base?: string): URL | undefined {
  return URL.canParse(text, base) ? new URL(text, base) : undefined;
}

/** `host:port`, also where the port is the scheme's default. */
export function authorityOf(url: URL): string {
  return `${url.hostname}:${portOf(url)}`;
}

/** Decodes percent escapes; returns the text itself if they are not valid. */
export function decodePart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function portOf(url: URL): string {
  return url.port !== '' ? url.port : url.protocol === 'https:' ? '443' : '80';
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
