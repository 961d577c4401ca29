import { BlockList, isIP } from 'node:net';
import { GatewayError } from '../gateway.ts';

/** A proxy on the way to the gateway. */
export type Proxy = {
  /** Without credentials. */
  readonly origin: string;
  /** `proxy.example:3128`, for messages. */
  readonly authority: string;
  /** The value of Proxy-Authorization. */
  readonly authorization: string | undefined;
  /** Whether requests are handed to the proxy, rather than bytes through it: plain http, as curl does it. */
  readonly forwards: boolean;
  /** What no message may show. */
  readonly secrets: readonly string[];
};

/** The proxy for this address, unless `noProxy` lists its host; throws a GatewayError when it is no URL. */
export function readProxy(
  gateway: URL,
  proxy: string | undefined,
  noProxy: string | undefined,
): Proxy | undefined {
  if (proxy === undefined || proxy === '' || isListed(gateway, noProxy ?? '')) return undefined;
  const url = parseUrl(/^[a-z][a-z0-9+.-]*:\/\//i.test(proxy) ? proxy : `http://${proxy}`);
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    // Without the text itself, which may hold a password.
    throw new GatewayError('unreachable', 'the address of the proxy is no http or https URL', {
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

/** A URL, or `undefined`: the error that the constructor throws would hold the text, and so a password. */
export function parseUrl(text: string, base?: string): URL | undefined {
  return URL.canParse(text, base) ? new URL(text, base) : undefined;
}

/** `host:port`, with the port that the scheme stands for. */
export function authorityOf(url: URL): string {
  return `${url.hostname}:${portOf(url)}`;
}

/** Part of a URL as it was before it was escaped; as it is when it was not. */
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

/** `*`, `example.com` (with all below it), `.example.com`, `10.0.0.0/8`, each with a port if need be. */
function isListed(gateway: URL, noProxy: string): boolean {
  const host = gateway.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      if (entry === '*' || inSubnet(host, entry)) return true;
      const [, name = '', port] = /^(.*?)(?::(\d+))?$/.exec(isIP(entry) === 6 ? `[${entry}]` : entry) ?? [];
      if (port !== undefined && port !== portOf(gateway)) return false;
      const bare = name.replace(/^\[|\]$/g, '').replace(/^\*?\./, '');
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
