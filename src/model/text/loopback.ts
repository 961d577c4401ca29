/**
 * Whether a host, as a URL or a flag spells it, is this machine. Names below localhost are not: some systems ask a DNS server
 * for them.
 */
export function isLoopback(host: string): boolean {
  return /^(127(\.\d{1,3}){3}|::1|\[::1\]|localhost\.?)$/i.test(host);
}
