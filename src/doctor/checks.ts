import type { Facts, Reply, Answers } from '../gateway/gateway.ts';
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
  failure,
  isFailed,
  NOT_REACHED,
  notChecked,
  ok,
  statusOf,
  unanswered,
  warning,
  type Expected,
  type Finding,
  type Findings,
} from './finding.ts';
import { cutOff } from '../model/text/list.ts';

/** A question about a gateway. It is answered from facts, whatever the other checks found. */
type Check = {
  readonly name: string;
  readonly run: (facts: Facts, expected: Expected) => Findings;
};

/** A check of what the gateway answers. */
function ofAnswers(run: (answers: Answers, facts: Facts, expected: Expected) => Findings): Check['run'] {
  return (facts, expected) =>
    facts.answers === undefined ? NOT_REACHED : run(facts.answers, facts, expected);
}

/** All checks of a gateway, in the order in which their findings are shown. */
export const CHECKS: readonly Check[] = [
  { name: 'reachable', run: checkReachable },
  { name: 'certificates', run: checkCertificates },
  { name: 'credentials', run: ofAnswers(checkCredentials) },
  { name: 'rights', run: ofAnswers(checkRights) },
  { name: 'version', run: ofAnswers(checkVersion) },
  { name: 'security', run: ofAnswers(checkSecurity) },
  { name: 'live', run: ofAnswers(checkLive) },
  { name: 'ready', run: ofAnswers(checkReady) },
  { name: 'health', run: ofAnswers(checkHealth) },
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
    const findings = 'unknown' in facts ? notChecked(facts.unknown) : run(facts, expected);
    return [findings].flat().map((finding) => ({ check: name, ...finding }));
  });
}

/** gateway-api A.7: before 3.12.0 there is only /health. */
function checkLive({ health }: Answers, { pings: [ping] }: Facts): Findings {
  return ping === undefined ? NOT_REACHED : checkState('live', ping, health);
}

function checkReady({ ready, health }: Answers): Findings {
  return checkState('ready', ready, health);
}

/** The checks that /health reports; it is gone from 3.21.0 on. */
function checkHealth({ health }: Answers): Findings {
  if (statusOf(health) === 404) return notChecked('this version has no /health');
  if ('error' in health) return unanswered(health);
  const parts = partsOf(health.body);
  return parts.length === 0 ? notChecked('/health reports no checks') : parts;
}

const LOOK = 'check the log of the gateway, and its connection to Kafka';

function checkState(state: 'live' | 'ready', reply: Reply, health: Reply): Findings {
  const status = statusOf(reply);
  if (status === 404) return checkOldHealth(state, health);
  if (!('error' in reply)) return [ok(`it is ${state}`), ...partsOf(reply.body)];
  return status === 503 ? failure(`it is not ${state} (503)`, { hint: LOOK }) : unanswered(reply);
}

function checkOldHealth(state: 'live' | 'ready', health: Reply): Finding {
  if ('error' in health) return notChecked(`this version has no /health/${state}`);
  const isUp = valueOf(health.body, 'status') === 'UP';
  return isUp
    ? ok(`/health is UP; /health/${state} comes with 3.12.0`)
    : failure('/health is not UP', { hint: LOOK });
}

/** A gateway has a few; a hostile one may send more. */
const MOST_PARTS = 20;

/** The findings of the checks in a health response. */
function partsOf(body: Json | undefined): readonly Finding[] {
  const checks = valueOf(body, 'checks');
  if (!isList(checks)) return [];
  return checks.slice(0, MOST_PARTS).map((check): Finding => {
    const name = textOf(valueOf(check, 'id') ?? valueOf(check, 'name'));
    const status = textOf(valueOf(check, 'status'));
    const values = { check: name, status };
    return status === 'UP'
      ? ok(`${name} is UP`, { values })
      : failure(`${name} is ${status}`, { hint: 'check the log of the gateway', values });
  });
}

const LONGEST = 60;

function textOf(value: Json | undefined): string {
  return cutOff(typeof value === 'string' ? value : JSON.stringify(value ?? null), LONGEST);
}

/** gateway-api F. */
const FIRST_WITHOUT_V1 = '3.21.0';

/** The version, what it means, and whether it is the one that the project expects. */
function checkVersion(answers: Answers, _: Facts, expected: Expected): Findings {
  const version = versionIn(answers);
  if (version === undefined)
    return isFailed(answers.usage)
      ? unanswered(answers.usage)
      : notChecked('the gateway does not tell', 'write its version in gwconf.yaml, for checks that need it');
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
    return ok(version, { hint, values });
  }
  if (minorOf(version) === minorOf(expected)) return ok(version, { values });
  const hint = 'correct version of the environment in gwconf.yaml: files are checked for that version';
  return warning(`${version}; gwconf.yaml has ${expected}`, { hint, values });
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
  if (!atLeast(version, FIRST_WITH_V2))
    return failure(`${version} has no v2 API, which gwconf needs`, {
      hint: `upgrade the gateway to ${FIRST_WITH_V2} or later`,
    });
  if (!atLeast(version, FIRST_WITHOUT_V1)) {
    const message = `by its version it has the v1 API and /health, which ${FIRST_WITHOUT_V1} removes; v1 was not called`;
    const hint =
      'move programs that call /admin/ or /health to v2, /health/live and /health/ready before upgrading';
    return ok(message, { hint });
  }
  const later = atLeast(NEWEST_KNOWN, version)
    ? ''
    : `; it is later than ${NEWEST_KNOWN}, the newest that gwconf knows`;
  return ok(`by its version it has no v1 API and no /health, which ${FIRST_WITHOUT_V1} removed${later}`);
}

function listDeprecated(version: string, all: Expected['deprecations']): readonly Finding[] {
  const deprecated = all.filter(
    ({ since, removed }) => atLeast(version, since) && (removed === undefined || !atLeast(version, removed)),
  );
  if (deprecated.length === 0) return [];
  const names = deprecated.map(
    ({ name, removed }) => `${name}${removed === undefined ? '' : ` (until ${removed})`}`,
  );
  const hint = 'gwconf validate reports each use in files';
  return [ok(`deprecated in this version: ${names.join(', ')}`, { hint })];
}
