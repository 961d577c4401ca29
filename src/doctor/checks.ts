import type { Facts, Reply, Answers } from '../gateway/operations.ts';
import { isList, valueOf, type Json } from '../model/json/json.ts';
import { FIRST_WITH_V2, NEWEST_KNOWN, atLeast } from '../model/text/version.ts';
import {
  checkCredentials,
  checkRights,
  checkCertificates,
  checkClock,
  checkLatency,
  checkReachable,
  checkSecurity,
} from './check-connection.ts';
import {
  notChecked,
  type Check,
  type Expected,
  type Finding,
  NOT_REACHED,
  statusOf,
  unanswered,
  isFailed,
} from './finding.ts';

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

export type CheckFinding = Finding & { readonly check: string };

/** Runs every check; without facts, each finds out why there are none. */
export function runChecks(
  facts: Facts | { readonly unknown: string },
  expected: Expected,
): readonly CheckFinding[] {
  return CHECKS.flatMap(({ name, run }) => {
    const findings = 'unknown' in facts ? [notChecked(facts.unknown)] : run(facts, expected);
    return findings.map((finding) => ({ check: name, ...finding }));
  });
}

/** gateway-api A.7: before 3.12.0 there is only /health. */
function checkLive({ pings: [ping], answers }: Facts): readonly Finding[] {
  if (ping === undefined || answers === undefined) return [NOT_REACHED];
  return checkState('live', ping, answers.health);
}

function checkReady({ answers }: Facts): readonly Finding[] {
  return answers === undefined ? [NOT_REACHED] : checkState('ready', answers.ready, answers.health);
}

/** The checks that /health reports; it is gone from 3.21.0 on. */
function checkHealth({ answers }: Facts): readonly Finding[] {
  if (answers === undefined) return [NOT_REACHED];
  const { health } = answers;
  if (statusOf(health) === 404) return [notChecked('this version has no /health')];
  if ('error' in health) return [unanswered(health)];
  const parts = partsOf(health.body);
  return parts.length === 0 ? [notChecked('/health reports no checks')] : parts;
}

function checkState(state: 'live' | 'ready', reply: Reply, health: Reply): readonly Finding[] {
  const status = statusOf(reply);
  if (status === 404) return [checkOldHealth(state, health)];
  if (!('error' in reply)) return [{ status: 'ok', message: `it is ${state}` }, ...partsOf(reply.body)];
  if (status !== 503) return [unanswered(reply)];
  const hint = 'check the log of the gateway, and its connection to Kafka';
  return [{ status: 'error', message: `it is not ${state} (503)`, hint }];
}

function checkOldHealth(state: 'live' | 'ready', health: Reply): Finding {
  if ('error' in health) return notChecked(`this version has no /health/${state}`);
  const isUp = valueOf(health.body, 'status') === 'UP';
  if (isUp) return { status: 'ok', message: `/health is UP; /health/${state} comes with 3.12.0` };
  const hint = 'check the log of the gateway, and its connection to Kafka';
  return { status: 'error', message: `/health is not UP`, hint };
}

/** A gateway has a few; a hostile one may send more. */
const MOST_PARTS = 20;

/** The findings of the checks in a health response. */
function partsOf(body: Json | undefined): readonly Finding[] {
  const checks = valueOf(body, 'checks');
  if (!isList(checks)) return [];
  return checks.slice(0, MOST_PARTS).map((check): Finding => {
    const [name, status] = [
      textOf(valueOf(check, 'id') ?? valueOf(check, 'name')),
      textOf(valueOf(check, 'status')),
    ];
    const values = { check: name, status };
    if (status === 'UP') return { status: 'ok', message: `${name} is UP`, values };
    const hint = 'check the log of the gateway';
    return { status: 'error', message: `${name} is ${status}`, hint, values };
  });
}

const LONGEST = 60;

function textOf(value: Json | undefined): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** gateway-api F. */
const FIRST_WITHOUT_V1 = '3.21.0';

/** The version, what it means, and whether it is the one that the project expects. */
function checkVersion({ answers }: Facts, expected: Expected): readonly Finding[] {
  if (answers === undefined) return [NOT_REACHED];
  const version = versionIn(answers);
  if (version === undefined && isFailed(answers.usage)) return [unanswered(answers.usage)];
  if (version === undefined)
    return [
      notChecked('the gateway does not tell', 'write its version in gwconf.yaml, for checks that need it'),
    ];
  return [
    compareVersions(version, expected.version),
    explain(version),
    ...listDeprecated(version, expected.deprecations),
  ];
}

/** gateway-api A.8 or, before 3.9.0, A.7. */
function versionIn({ usage, health }: Answers): string | undefined {
  const checks = 'error' in health ? undefined : valueOf(health.body, 'checks');
  const build = isList(checks) ? checks.find((check) => valueOf(check, 'id') === 'buildInfo') : undefined;
  const told = 'error' in usage ? undefined : valueOf(usage.body, 'gatewayVersion');
  const found = told ?? valueOf(valueOf(build, 'data'), 'version');
  return typeof found === 'string' && /^v?\d{1,4}\.\d{1,4}[\w.+-]{0,40}$/.test(found) ? found : undefined;
}

function compareVersions(version: string, expected: string | undefined): Finding {
  const values = { version };
  if (expected === undefined) {
    const hint = `write version: ${version} for the environment in gwconf.yaml, for checks that need it`;
    return { status: 'ok', message: version, hint, values };
  }
  if (minorOf(version) === minorOf(expected)) return { status: 'ok', message: version, values };
  return {
    status: 'warning',
    message: `${version}; gwconf.yaml has ${expected}`,
    hint: 'correct version of the environment in gwconf.yaml: files are checked for that version',
    values,
  };
}

/** Fields and classes come and go with minor versions. */
function minorOf(version: string): string {
  return version
    .replace(/^v/, '')
    .split('.')
    .slice(0, 2)
    .map((part) => Number.parseInt(part, 10))
    .join('.');
}

function explain(version: string): Finding {
  if (!atLeast(version, FIRST_WITH_V2)) {
    const message = `${version} has no v2 API, which gwconf needs`;
    return { status: 'error', message, hint: `upgrade the gateway to ${FIRST_WITH_V2} or later` };
  }
  if (!atLeast(version, FIRST_WITHOUT_V1)) {
    const message = `by its version it has the v1 API and /health, which ${FIRST_WITHOUT_V1} removes; v1 was not called`;
    const hint =
      'move programs that call /admin/ or /health to v2, /health/live and /health/ready before upgrading';
    return { status: 'ok', message, hint };
  }
  const later = atLeast(NEWEST_KNOWN, version)
    ? ''
    : `; it is later than ${NEWEST_KNOWN}, the newest that gwconf knows`;
  return {
    status: 'ok',
    message: `by its version it has no v1 API and no /health, which ${FIRST_WITHOUT_V1} removed${later}`,
  };
}

function listDeprecated(version: string, all: Expected['deprecations']): readonly Finding[] {
  const deprecated = all.filter(
    ({ since, removed }) => atLeast(version, since) && (removed === undefined || !atLeast(version, removed)),
  );
  if (deprecated.length === 0) return [];
  const names = deprecated.map(
    ({ name, removed }) => `${name}${removed === undefined ? '' : ` (until ${removed})`}`,
  );
  return [
    {
      status: 'ok',
      message: `deprecated in this version: ${names.join(', ')}`,
      hint: 'gwconf validate reports each use in files',
    },
  ];
}
