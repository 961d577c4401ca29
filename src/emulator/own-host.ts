import { isLoopback } from '../model/text/loopback.ts';

/** The address that a server listens on, and other names that clients reach it by. */
export type OwnHost = { readonly host: string; readonly allowedHosts: readonly string[] };

/**
 * Whether the Host header names this server. A web page can give the address of this machine to a name of its own (DNS
 * rebinding); the browser then sends that name. Addresses have no such name.
 */
export function isOwnHost(header: string | undefined, { host, allowedHosts }: OwnHost): boolean {
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
