import { lookup, type LookupAddress, type LookupAllOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';

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
