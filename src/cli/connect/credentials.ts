import type { Problem } from '../../model/problem.ts';
import { globPattern } from '../../model/text/glob.ts';
import type { Io } from '../io.ts';
import type { Settings } from './settings.ts';

const VARIABLE = 'GWCONF_ALLOWED_HOSTS';

/** The hosts that a URL of gwconf.yaml may name: globs, each with a port if need be. Undefined where nobody says. */
export function allowedHosts(io: Io): readonly string[] | undefined {
  // Set and empty allows none: a variable that a job failed to fill must not open the door.
  return io
    .env(VARIABLE)
    ?.split(/[\s,]+/)
    .filter((glob) => glob !== '');
}

/**
 * A pull request can change gwconf.yaml, and what the environment holds is not its own. So a URL from there has to be
 * allowed, where that is limited at all; one from a flag or a variable is trusted.
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
    message: `gwconf.yaml names the gateway ${place}, and ${VARIABLE} does not allow that host`,
    hint: `if it is right, add it to ${VARIABLE} where the job is set up, or name the gateway with --url or GWCONF_URL`,
  };
}

/** The user and password that every gateway comes with (gateway-api D.4), for a host that others can reach. */
export function checkDefaultCredentials({ url, user, password }: Settings): Problem | undefined {
  const named = parse(url.value);
  if (named === undefined || isLoopback(named.hostname)) return undefined;
  const isDefault =
    (user.value ?? named.username) === 'admin' && (password.value ?? named.password) === 'conduktor';
  if (!isDefault) return undefined;
  return {
    code: 'default-credentials',
    severity: 'warning',
    message: `${named.hostname}:${portOf(named)} is called with the user and the password that every gateway comes with`,
    hint: 'give the gateway a user of its own in GATEWAY_ADMIN_API_USERS',
  };
}

/** A URL that leads to a host; an embedded gateway has none. */
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
