import { isList, valueOf } from '../model/json/json.ts';
import { atLeast } from '../model/text/version.ts';
import type { Answers, Facts } from '../gateway/facts.ts';
import { isFailed, NOT_REACHED, notChecked, unanswered, type Expected, type Finding } from './finding.ts';

/** gateway-api F. */
const FIRST_WITH_V2 = '3.3.0';
const FIRST_WITHOUT_V1 = '3.21.0';
const NEWEST_KNOWN = '3.21.1';

/** The version, what it means, and whether it is the one that the project expects. */
export function checkVersion({ answers }: Facts, expected: Expected): readonly Finding[] {
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
    const message = `the v1 API and /health still work, and are removed in ${FIRST_WITHOUT_V1}`;
    const hint =
      'move programs that call /admin/ or /health to v2, /health/live and /health/ready before upgrading';
    return { status: 'ok', message, hint };
  }
  const later = atLeast(NEWEST_KNOWN, version)
    ? ''
    : `; it is later than ${NEWEST_KNOWN}, the newest that gwconf knows`;
  return {
    status: 'ok',
    message: `without the v1 API and /health, which ${FIRST_WITHOUT_V1} removed${later}`,
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
