import { compileGlob, excludedBy } from '../../model/text/glob.ts';
import { parseUrl, portOf } from '../../model/text/url.ts';
import type { Host } from '../host.ts';
import { RequestError } from '../system-error.ts';
import { EMBEDDED } from './embedded.ts';

export const VARIABLE = 'GWCONF_ALLOWED_HOSTS';

/** What GWCONF_ALLOWED_HOSTS allows. */
export type AllowedHosts = {
  readonly entries: readonly string[];
  /** Whether the embedded gateway is allowed. */
  readonly embedded: boolean;
  admits(url: URL): boolean;
  /** Whether an entry with `http://` admits the URL. */
  admitsPlainHttp(url: URL): boolean;
};

/** The hosts that a variable allows; undefined if it is not set. Throws a RequestError for an entry that is not a host. */
export function readAllowedHosts({ env }: Pick<Host, 'env'>, variable = VARIABLE): AllowedHosts | undefined {
  // Empty allows none: a variable that a job failed to fill must not allow all.
  const entries = env(variable)
    ?.split(/[\s,]+/)
    .filter((entry) => entry !== '');
  if (entries === undefined) return undefined;
  const parse = (some: readonly string[]): readonly Entry[] =>
    some.filter((entry) => entry !== EMBEDDED).map((entry) => parseEntry(entry, variable));
  const hosts = parse(entries.filter((entry) => !entry.startsWith('!')));
  const excluded = excludedBy(entries);
  const others = parse(excluded);
  const isKept = (url: URL): boolean => !others.some((host) => excludes(host, url));
  return {
    entries,
    embedded: entries.includes(EMBEDDED) && !excluded.includes(EMBEDDED),
    admits: (url) => hosts.some((host) => admits(host, url)) && isKept(url),
    admitsPlainHttp: (url) =>
      hosts.some((host) => host.scheme === 'http:' && admits(host, url)) && isKept(url),
  };
}

/** `host`, `host:8888` or `https://host:8888`; a host may be a glob. */
type Entry = {
  readonly scheme: string | undefined;
  readonly host: string;
  readonly port: string | undefined;
};

function parseEntry(text: string, variable: string): Entry {
  const bracketed = URL.canParse(`http://[${text}]`) ? `[${text}]` : text; // an IPv6 address
  const [, scheme, host, port] =
    /^(?:(https?):\/\/)?(\[[\da-f:.*]+\]|[^\s:/@?#\\[\]]+)(?::(\d+))?\/?$/i.exec(bracketed) ?? [];
  if (host === undefined)
    throw new RequestError(
      `expected ${variable} to list hosts such as https://gateway.example:8888; found ${text}`,
    );
  return {
    scheme: scheme === undefined ? undefined : `${scheme.toLowerCase()}:`,
    host: normalizeHost(host),
    port: port === undefined ? undefined : String(Number(port)),
  };
}

function admits({ scheme, host, port }: Entry, url: URL): boolean {
  // Whoever names a port of a gateway has its https listener in mind; http must be written out.
  const isScheme =
    scheme === undefined ? port === undefined || url.protocol === 'https:' : url.protocol === scheme;
  return (
    isScheme && (port === undefined || port === portOf(url)) && admitsHost(host, normalizeHost(url.hostname))
  );
}

/** Whatever an entry leaves open is excluded: each scheme, each port, and each host that its glob matches. */
function excludes({ scheme, host, port }: Entry, url: URL): boolean {
  const isScheme = scheme === undefined || url.protocol === scheme;
  return (
    isScheme && (port === undefined || port === portOf(url)) && compileGlob(host)(normalizeHost(url.hostname))
  );
}

/** A `*` at the end would also match `127.0.0.evil.example`, so there it matches within an address or one label only. */
function admitsHost(glob: string, host: string): boolean {
  if (!compileGlob(glob)(host)) return false;
  const [labels, last = ''] = [glob.split('.'), glob.split('.').at(-1)];
  if (glob === '*' || !last.includes('*')) return true;
  return /^[\d.*]+$/.test(glob) ? /^[\d.]+$/.test(host) : host.split('.').length === labels.length;
}

/** As the URL parser spells it: lower case, punycode, the short form of an address; without the dot at the end. */
function normalizeHost(text: string): string {
  const host = parseUrl(`http://${text}`)?.hostname ?? text.toLowerCase();
  return host.replace(/\.$/, '');
}

/** The scheme, host and port of a URL, as an entry that allows it. */
export function originOf(url: URL): string {
  return `${url.protocol}//${url.hostname}:${portOf(url)}`;
}
