/** The URL that a text is. Does not throw: the error of the constructor has the text, and so a password. */
export function parseUrl(text: string, base?: string): URL | undefined {
  return URL.canParse(text, base) ? new URL(text, base) : undefined;
}

/** The same of HTTP. */
export function parseHttpUrl(text: string): URL | undefined {
  const url = parseUrl(text);
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url : undefined;
}

/** A port that the URL leaves out is that of its scheme. */
export function portOf({ port, protocol }: URL): string {
  return port !== '' ? port : protocol === 'https:' ? '443' : '80';
}

/** Its path without the slashes at the end. */
export function pathOf({ pathname }: URL): string {
  let end = pathname.length;
  while (pathname[end - 1] === '/') end -= 1;
  return pathname.slice(0, end);
}

/**
 * Whether a host, as a URL or a flag spells it, is this machine. Names below localhost are not: some systems ask a DNS server
 * for them.
 */
export function isLoopback(host: string): boolean {
  return /^(127(\.\d{1,3}){3}|::1|\[::1\]|localhost\.?)$/i.test(host);
}
