import { PUBLISHED_PASSWORD } from '../../model/secrets/secret-texts.ts';
import { isLoopback, parseHttpUrl, portOf } from '../../model/text/url.ts';
import { makeProblem, type Problem } from '../../model/problem.ts';
import { isCi } from '../../workflow/ci.ts';
import { EMBEDDED, isEmbedded } from '../../workflow/live/embedded.ts';
import type { Io } from '../io.ts';
import { originOf, readAllowedHosts, VARIABLE } from '../../workflow/live/allowed-hosts.ts';
import type { Settings } from './settings.ts';

/**
 * A pull request can change gwconf.yaml, so credentials must not be sent to any URL in it. A URL in a flag or variable is
 * trusted.
 */
export function checkHostAllowed({ url }: Settings, io: Io): Problem | undefined {
  const embedded = isEmbedded(url.value ?? '');
  const named = parse(url.value);
  if (url.origin !== 'gwconf.yaml' || (named === undefined && !embedded)) return undefined;
  const allowed = readAllowedHosts(io);
  if (allowed === undefined && (embedded || !isCi(io.env))) return undefined;
  if (named === undefined ? allowed?.embedded : allowed?.admits(named)) return undefined;
  const entry = named === undefined ? EMBEDDED : originOf(named);
  const subject = named === undefined ? 'the embedded gateway' : `the gateway ${entry}`;
  const rule =
    allowed === undefined ? `and in CI ${VARIABLE} must allow it` : `but ${VARIABLE} does not allow it`;
  return makeProblem({
    code: 'host-not-allowed',
    message: `gwconf.yaml names ${subject}, ${rule}`,
    hint: `if the URL is correct, add ${entry} to ${VARIABLE}, or set --url or GWCONF_URL`,
  });
}

/** Whoever is on the way to another machine can read a password or header in plain http. */
export function checkPlainHttp(
  { url, password }: Settings,
  headers: Readonly<Record<string, string>>,
  io: Io,
): Problem | undefined {
  const named = parse(url.value);
  if (named?.protocol !== 'http:' || isLoopback(named.hostname)) return undefined;
  const hasPassword = (password.value ?? named.password) !== '';
  if (!hasPassword && Object.keys(headers).length === 0) return undefined;
  const what = hasPassword ? 'the password' : 'the headers';
  const origin = originOf(named);
  const problem = {
    code: 'plain-http' as const,
    message: `${what} would be sent to ${origin} without encryption`,
  };
  if (!isCi(io.env)) return { ...problem, severity: 'warning', hint: 'use https' };
  if (readAllowedHosts(io)?.admitsPlainHttp(named) === true) return undefined;
  return {
    ...problem,
    severity: 'error',
    hint: `use https, or add ${origin} to ${VARIABLE} if you trust the network`,
  };
}

/** Warns of the default user and password (gateway-api D.4) for a host that others can reach. */
export function checkDefaultCredentials({ url, user, password }: Settings): Problem | undefined {
  const named = parse(url.value);
  if (named === undefined || isLoopback(named.hostname)) return undefined;
  const isDefault =
    (user.value ?? named.username) === 'admin' && (password.value ?? named.password) === PUBLISHED_PASSWORD;
  if (!isDefault) return undefined;
  return makeProblem({
    code: 'default-credentials',
    message: `${named.hostname}:${portOf(named)} is used with the default user and password of gateways`,
    hint: 'change the user and password in GATEWAY_ADMIN_API_USERS',
  });
}

/** A URL with a host; that of an embedded gateway has none. */
function parse(text = ''): URL | undefined {
  return parseHttpUrl(text.trim());
}
