import type { Problem } from '../../model/problem.ts';
import { globPattern } from '../../model/text/glob.ts';
import type { Io } from '../io.ts';
import type { Settings } from './settings.ts';

const VARIABLE = 'GWCONF_ALLOWED_HOSTS';

/** The hosts that a URL in gwconf.yaml may have: globs, optionally with a port. Undefined: all. */
export function allowedHosts(io: Io): readonly string[] | undefined {
  // Empty allows none: a variable that a job failed to fill must not allow all.
  return io
    .env(VARIABLE)
    ?.split(/[\s,]+/)
    .filter((glob) => glob !== '');
}

/**
 * A pull request can change gwconf.yaml, so credentials must not be sent to any URL in it. A URL in a flag or variable is
 * trusted.
 */
export function checkHostAllowed({ url }: Settings, io: Io): Problem | undefined {
  const allowed = allowedHosts(io);
  const named = url.origin === 'gwconf.yaml' ? parse(url.value) : undefined;
  if (allowed === undefined || named === undefined) return undefined;
  const place = `${named.hostname}:${portOf(named)}`;
  const isMeant = (glob: string): boolean =>
    globPattern(glob, 'i').test(/:\d+$/.test(glob) ? place : named.hostname);
  if (allowed.some(isMeant)) return undefined;
  return {
    code: 'host-not-allowed',
    severity: 'error',
    message: `gwconf.yaml names the gateway ${place}, but ${VARIABLE} does not allow this host`,
    hint: `if the URL is correct, add the host to ${VARIABLE}, or set --url or GWCONF_URL`,
  };
}

/** Warns of the default user and password (gateway-api D.4) for a host that others can reach. */
export function checkDefaultCredentials({ url, user, password }: Settings): Problem | undefined {
  const named = parse(url.value);
  if (named === undefined || isLoopback(named.hostname)) return undefined;
  const isDefault =
    (user.value ?? named.username) === 'admin' && (password.value ?? named.password) === 'conduktor';
  if (!isDefault) return undefined;
  return {
    code: 'default-credentials',
    severity: 'warning',
    message: `${named.hostname}:${portOf(named)} is used with the default user and password of gateways`,
    hint: 'change the user and password in GATEWAY_ADMIN_API_USERS',
  };
}

/** A URL with a host; that of an embedded gateway has none. */
function parse(text = ''): URL | undefined {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url : undefined;
}

function portOf({ port, protocol }: URL): string {
  return port !== '' ? port : protocol === 'https:' ? '443' : '80';
}

function isLoopback(host: string): boolean {
  return /^(127(\.\d+){3}|\[::1\]|(.*\.)?localhost\.?)$/.test(host);
}
