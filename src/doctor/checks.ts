import type { Facts } from '../gateway/facts.ts';
import { checkCredentials, checkRights } from './check-access.ts';
import { checkCertificates, checkClock, checkLatency, checkReachable } from './check-connection.ts';
import { checkHealth, checkLive, checkReady } from './check-health.ts';
import { checkSecurity } from './check-security.ts';
import { checkVersion } from './check-version.ts';
import { notChecked, type Check, type Expected, type Finding } from './finding.ts';

/** All checks of a gateway, in the order in which their findings are shown. */
export const CHECKS: readonly Check[] = [
  { name: 'reachable', run: checkReachable },
  { name: 'certificates', run: checkCertificates },
  { name: 'credentials', run: checkCredentials },
  { name: 'rights', run: checkRights },
  { name: 'version', run: checkVersion },
  { name: 'security', run: checkSecurity },
  { name: 'live', run: checkLive },
  { name: 'ready', run: checkReady },
  { name: 'health', run: checkHealth },
  { name: 'clock', run: checkClock },
  { name: 'latency', run: checkLatency },
];

export type Found = Finding & { readonly check: string };

/** Runs every check; without facts, each finds out why there are none. */
export function runChecks(facts: Facts | { readonly unknown: string }, expected: Expected): readonly Found[] {
  return CHECKS.flatMap(({ name, run }) => {
    const findings = 'unknown' in facts ? [notChecked(facts.unknown)] : run(facts, expected);
    return findings.map((finding) => ({ check: name, ...finding }));
  });
}
