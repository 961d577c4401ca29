import type { Certificate, Facts, Reply, Answers, GatewayErrorCode } from '../gateway/gateway.ts';
import { present } from '../model/collect.ts';
import { valueOf } from '../model/json/json.ts';
import { formatCount } from '../model/text/list.ts';
import { isLoopback } from '../model/text/url.ts';
import { formatDuration } from '../model/text/quantities.ts';
import {
  failure,
  isFailed,
  NOT_REACHED,
  notChecked,
  ok,
  unanswered,
  warning,
  type Expected,
  type Finding,
  type Findings,
} from './finding.ts';

/** Refusals that come from a server which handles requests: another check reports them. */
const HANDLED: ReadonlySet<GatewayErrorCode> = new Set([
  ...(['not-found', 'unauthorized', 'forbidden', 'refused', 'conflict'] as const),
]);

export function checkReachable({ url, pings: [ping] }: Facts): Finding {
  if (ping === undefined) return NOT_REACHED;
  if (!('error' in ping)) return ok(`${url} answers`);
  const { code, status, message, hint } = ping.error;
  if (code === 'untrusted') return notChecked('a server is there, but TLS with it fails: see certificates');
  return status === 503 || HANDLED.has(code) ? ok(`${url} answers`) : failure(message, { hint });
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** Renewing a certificate takes some people and days. */
const SOON_DAYS = 30;

/** Whether the connection is encrypted and trusted, and each certificate. */
export function checkCertificates(facts: Facts): Findings {
  const { url, tls, now } = facts;
  if (tls === undefined) return checkPlain(url);
  if ('unread' in tls) return [checkTrust(facts), notChecked(`no certificate was read: ${tls.unread}`)];
  return [checkTrust(facts), ...tls.chain.map((certificate) => checkAge(certificate, now))];
}

function checkPlain(url: string): Finding {
  if (isLoopback(new URL(url).hostname)) return ok('plain http to this machine');
  const hint = 'use https: GATEWAY_HTTPS_KEY_STORE_PATH of the gateway turns it on';
  return warning('plain http: anyone on the way can read the password and change requests', { hint });
}

function checkTrust({ isVerified, tls, pings: [ping] }: Facts): Finding {
  const fault = tls !== undefined && 'fault' in tls ? tls.fault : undefined;
  if (!isVerified) {
    const otherwise = fault === undefined ? '' : `; this one is not trusted (${fault})`;
    const hint =
      'set --ca-cert (GWCONF_CA_CERT) to its authority, and remove --insecure-skip-verify (GWCONF_INSECURE_SKIP_VERIFY)';
    const message = `any certificate is accepted, since verification is off${otherwise}`;
    return warning(message, { hint, values: { verified: false } });
  }
  const values = { verified: true };
  if (ping === undefined) return NOT_REACHED;
  if ('error' in ping && ping.error.code === 'untrusted')
    return failure(ping.error.message, { hint: ping.error.hint, values });
  if ('error' in ping && ping.error.status === undefined) return NOT_REACHED;
  return ok('the certificate is trusted', { values });
}

function checkAge({ subject, issuer, validFrom, validTo, from, until }: Certificate, now: number): Finding {
  const who = `${subject}, issued by ${issuer === subject ? 'itself' : issuer}`;
  const daysLeft = Math.floor((validTo - now) / DAY_MS);
  const values = { subject, issuer, until, daysLeft };
  const left = `${formatCount(daysLeft, 'day')} left, until ${until}`;
  if (validTo <= now)
    return failure(`${who}: expired on ${until}`, {
      hint: 'renew it, and check the clock of this machine',
      values,
    });
  if (validFrom > now)
    return failure(`${who}: not valid before ${from}`, { hint: 'check the clock of this machine', values });
  if (daysLeft < SOON_DAYS) return warning(`${who}: ${left}`, { hint: 'renew it', values });
  return ok(`${who}: ${left}`, { values });
}

/** More is a problem for what has an expiry time. */
const MOST_CLOCK_MS = 5000;

/**
 * Our clock against the Date headers. A header names the second in which a response was made, between our request and its arrival;
 * every reply narrows down the difference.
 */
export function checkClock({ pings, answers }: Facts): Finding {
  const bounds = [...pings, ...Object.values(answers ?? {})].flatMap((reply) => boundsOf(reply));
  if (bounds.length === 0)
    return answers === undefined ? NOT_REACHED : notChecked('no response has a Date header');
  const least = bounds.reduce((found, [from]) => Math.max(found, from), -Infinity);
  const most = bounds.reduce((found, [, to]) => Math.min(found, to), Infinity);
  // With jumping clocks the bounds contradict each other; the middle is the best guess.
  const ms = least > most ? Math.round((least + most) / 2) : least > 0 ? least : Math.min(most, 0);
  const values = { differenceMs: ms };
  if (Math.abs(ms) <= MOST_CLOCK_MS) return ok('its clock agrees with ours', { values });
  const apart = `${formatDuration(Math.abs(ms) / 1000)} ${ms > 0 ? 'ahead of' : 'behind'} ours`;
  return warning(`the clock of the gateway, or of a proxy before it, is ${apart}`, {
    hint: 'synchronise both clocks (NTP): tokens and saved plans expire at a time',
    values,
  });
}

/** How far its clock is ahead of ours, at least and at most. */
function boundsOf({ date, sentAt, receivedAt }: Reply): readonly (readonly [least: number, most: number])[] {
  return date === undefined ? [] : [[date - receivedAt, date + 999 - sentAt]];
}

/** Slower responses make long runs. */
const SLOW_MS = 1000;

/** The median of small requests on a connection that is open. */
export function checkLatency({ pings }: Facts): Finding {
  const [, ...others] = pings;
  const times = others.map(({ sentAt, receivedAt }) => receivedAt - sentAt).sort((one, other) => one - other);
  const median = times[Math.floor(times.length / 2)];
  if (median === undefined) return NOT_REACHED;
  const message = `${median} ms for a small request (median of ${times.length})`;
  const values = { medianMs: median };
  if (median < SLOW_MS) return ok(message, { values });
  return warning(message, { hint: 'check the load of the gateway, and run gwconf nearer to it', values });
}

/** Whether the gateway takes the credentials, by a list that needs them. A refusal of that kind comes after the login. */
export function checkCredentials({ list }: Answers, { hasCredentials }: Facts): Finding {
  if (!('error' in list) || list.error.code === 'refused') {
    if (hasCredentials) return ok('the gateway accepts them');
    const hint = 'set GATEWAY_ADMIN_API_USERS on the gateway';
    return warning('none are set, and the gateway answers: anyone who reaches it can read its state', {
      hint,
    });
  }
  const { code, message, hint } = list.error;
  const isRefused = code === 'unauthorized' || code === 'forbidden' || code === 'not-found';
  return isRefused ? failure(message, { hint }) : notChecked(message, hint);
}

/** Refusals of the object itself: the right to write was there (gateway-api A.2). */
const AFTER_RIGHTS = new Set(['refused', 'conflict']);

/** Whether writes are allowed, by the dry run of one that is refused to everyone. */
export function checkRights({ write }: Answers): Finding {
  const code = 'error' in write ? write.error.code : undefined;
  if (code === 'forbidden')
    return ok('read-only: enough for plan, drift and get; apply is not allowed', {
      hint: 'for apply, use a user with admin: true in GATEWAY_ADMIN_API_USERS',
      values: { rights: 'read-only' },
    });
  const isAllowed =
    'error' in write ? AFTER_RIGHTS.has(write.error.code) : valueOf(write.body, 'upsertResult') !== undefined;
  if (isAllowed)
    return ok('admin: the dry run of a write was not forbidden', { values: { rights: 'admin' } });
  if (code === 'unauthorized') return notChecked('the gateway does not accept the credentials');
  return unanswered(write);
}

/** How the gateway authenticates clients, as far as it tells, beside what gwconf.yaml has. */
export function checkSecurity(
  answers: Answers,
  _: Facts,
  { security, absentIn }: Pick<Expected, 'security' | 'absentIn'>,
): Finding {
  const protocol = protocolIn(answers);
  const hasClusters = hasVirtualClusters(answers);
  if (protocol === undefined && hasClusters === undefined)
    return isFailed(answers.list)
      ? unanswered(answers.list)
      : notChecked('the gateway does not tell', 'write security in gwconf.yaml, for checks that need it');
  const clusters =
    hasClusters === undefined ? undefined : `${hasClusters ? 'with' : 'without'} virtual clusters`;
  const told = [protocol, clusters].filter((one) => one !== undefined).join(', ');
  const values = { ...present({ protocol }), virtualClusters: hasClusters ?? null };
  if (security === undefined) {
    const hint = 'write security for the environment in gwconf.yaml, for checks that need it';
    return ok(told, { hint, values });
  }
  // GATEWAY_MANAGED and KAFKA_MANAGED are modes, the others are protocols (gateway-api D.1, D.2).
  const isProtocol = !security.endsWith('_MANAGED');
  const isOther = isProtocol && protocol !== undefined && protocol !== security;
  const isElsewhere = hasClusters !== undefined && hasClusters === absentIn.includes(security);
  if (!isOther && !isElsewhere) return ok(told, { values });
  const hint = 'correct security of the environment in gwconf.yaml: files are checked for it';
  return warning(`${told}; gwconf.yaml has ${security}`, { hint, values });
}

/** gateway-api A.8. */
function protocolIn({ usage }: Answers): string | undefined {
  const found = 'error' in usage ? undefined : valueOf(usage.body, 'gatewaySecurityProtocol');
  return typeof found === 'string' && /^[A-Z_]{1,40}$/.test(found) ? found : undefined;
}

/** A gateway without authentication, or with that of Kafka, refuses the list (gateway-api A.2, D.2). */
function hasVirtualClusters({ list }: Answers): boolean | undefined {
  if (!('error' in list)) return true;
  return list.error.code === 'refused' ? false : undefined;
}
