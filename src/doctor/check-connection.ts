import type { Certificate, Facts, Reply, Answers } from '../gateway/operations.ts';
import type { GatewayErrorCode } from '../gateway/gateway.ts';
import { valueOf } from '../model/json/json.ts';
import { formatCount } from '../model/text/list.ts';
import { isLoopback } from '../model/text/loopback.ts';
import { formatDuration } from '../model/text/quantities.ts';
import { NOT_REACHED, notChecked, type Finding, unanswered, isFailed, type Expected } from './finding.ts';

/** Refusals that come from a server which handles requests: another check reports them. */
const HANDLED: ReadonlySet<GatewayErrorCode> = new Set([
  ...(['not-found', 'unauthorized', 'forbidden', 'refused', 'conflict'] as const),
]);

export function checkReachable({ url, pings: [ping] }: Facts): readonly Finding[] {
  if (ping === undefined) return [NOT_REACHED];
  if ('error' in ping && ping.error.code === 'untrusted')
    return [notChecked('a server is there, but TLS with it fails: see certificates')];
  if ('error' in ping && ping.error.status !== 503 && !HANDLED.has(ping.error.code)) {
    const { message, hint } = ping.error;
    return [{ status: 'error', message, hint }];
  }
  return [{ status: 'ok', message: `${url} answers` }];
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** Renewing a certificate takes some people and days. */
const SOON_DAYS = 30;

/** Whether the connection is encrypted and trusted, and each certificate. */
export function checkCertificates(facts: Facts): readonly Finding[] {
  const { url, tls, now } = facts;
  if (tls === undefined) return [checkPlain(url)];
  if ('unread' in tls) return [checkTrust(facts), notChecked(`no certificate was read: ${tls.unread}`)];
  return [checkTrust(facts), ...tls.chain.map((certificate) => checkAge(certificate, now))];
}

function checkPlain(url: string): Finding {
  if (isLoopback(new URL(url).hostname)) return { status: 'ok', message: 'plain http to this machine' };
  return {
    status: 'warning',
    message: 'plain http: anyone on the way can read the password and change requests',
    hint: 'use https: GATEWAY_HTTPS_KEY_STORE_PATH of the gateway turns it on',
  };
}

function checkTrust({ isVerified, tls, pings: [ping] }: Facts): Finding {
  const fault = tls !== undefined && 'fault' in tls ? tls.fault : undefined;
  if (!isVerified) {
    const otherwise = fault === undefined ? '' : `; this one is not trusted (${fault})`;
    return {
      status: 'warning',
      message: `any certificate is accepted, since verification is off${otherwise}`,
      hint: 'set --ca-cert (CDK_CACERT) to its authority, and remove --insecure-skip-verify (CDK_INSECURE)',
      values: { verified: false },
    };
  }
  if (ping !== undefined && 'error' in ping && ping.error.code === 'untrusted') {
    const { message, hint } = ping.error;
    return { status: 'error', message, hint, values: { verified: true } };
  }
  if (ping === undefined || ('error' in ping && ping.error.status === undefined)) return NOT_REACHED;
  return { status: 'ok', message: 'the certificate is trusted', values: { verified: true } };
}

function checkAge({ subject, issuer, validFrom, validTo, from, until }: Certificate, now: number): Finding {
  const who = `${subject}, issued by ${issuer === subject ? 'itself' : issuer}`;
  const daysLeft = Math.floor((validTo - now) / DAY_MS);
  const values = { subject, issuer, until, daysLeft };
  const left = `${formatCount(daysLeft, 'day')} left, until ${until}`;
  if (validTo <= now) {
    const message = `${who}: expired on ${until}`;
    return { status: 'error', message, hint: 'renew it, and check the clock of this machine', values };
  }
  if (validFrom > now) {
    const message = `${who}: not valid before ${from}`;
    return { status: 'error', message, hint: 'check the clock of this machine', values };
  }
  if (daysLeft < SOON_DAYS)
    return { status: 'warning', message: `${who}: ${left}`, hint: 'renew it', values };
  return { status: 'ok', message: `${who}: ${left}`, values };
}

/** More is a problem for what has an expiry time. */
const MOST_CLOCK_MS = 5000;

/**
 * Our clock against the Date headers. A header names the second in which a response was made, between our request and its arrival;
 * every reply narrows down the difference.
 */
export function checkClock({ pings, answers }: Facts): readonly Finding[] {
  const bounds = [...pings, ...Object.values(answers ?? {})].flatMap((reply) => boundsOf(reply));
  if (bounds.length === 0)
    return [answers === undefined ? NOT_REACHED : notChecked('no response has a Date header')];
  const least = bounds.reduce((found, [from]) => Math.max(found, from), -Infinity);
  const most = bounds.reduce((found, [, to]) => Math.min(found, to), Infinity);
  // With jumping clocks the bounds contradict each other; the middle is the best guess.
  const ms = least > most ? Math.round((least + most) / 2) : least > 0 ? least : Math.min(most, 0);
  const values = { differenceMs: ms };
  if (Math.abs(ms) <= MOST_CLOCK_MS) return [{ status: 'ok', message: 'its clock agrees with ours', values }];
  const apart = formatDuration(Math.abs(ms) / 1000);
  return [
    {
      status: 'warning',
      message: `the clock of the gateway, or of a proxy before it, is ${apart} ${ms > 0 ? 'ahead of' : 'behind'} ours`,
      hint: 'synchronise both clocks (NTP): tokens and saved plans expire at a time',
      values,
    },
  ];
}

/** How far its clock is ahead of ours, at least and at most. */
function boundsOf({ date, sentAt, receivedAt }: Reply): readonly (readonly [least: number, most: number])[] {
  return date === undefined ? [] : [[date - receivedAt, date + 999 - sentAt]];
}

/** Slower responses make long runs. */
const SLOW_MS = 1000;

/** The median of small requests on a connection that is open. */
export function checkLatency({ pings }: Facts): readonly Finding[] {
  const [, ...others] = pings;
  const times = others.map(({ sentAt, receivedAt }) => receivedAt - sentAt).sort((one, other) => one - other);
  const median = times[Math.floor(times.length / 2)];
  if (median === undefined) return [NOT_REACHED];
  const message = `${median} ms for a small request (median of ${times.length})`;
  const values = { medianMs: median };
  if (median < SLOW_MS) return [{ status: 'ok', message, values }];
  const hint = 'check the load of the gateway, and run gwconf nearer to it';
  return [{ status: 'warning', message, hint, values }];
}

/** Whether the gateway takes the credentials, by a list that needs them. A refusal of that kind comes after the login. */
export function checkCredentials({ answers, hasCredentials }: Facts): readonly Finding[] {
  if (answers === undefined) return [NOT_REACHED];
  const { list } = answers;
  if (!('error' in list) || list.error.code === 'refused') {
    if (hasCredentials) return [{ status: 'ok', message: 'the gateway accepts them' }];
    const message = 'none are set, and the gateway answers: anyone who reaches it can read its state';
    return [{ status: 'warning', message, hint: 'set GATEWAY_ADMIN_API_USERS on the gateway' }];
  }
  const { code, message, hint } = list.error;
  const isRefused = code === 'unauthorized' || code === 'forbidden' || code === 'not-found';
  return [isRefused ? { status: 'error', message, hint } : notChecked(message, hint)];
}

/** Refusals of the object itself: the right to write was there (gateway-api A.2). */
const AFTER_RIGHTS = new Set(['refused', 'conflict']);

/** Whether writes are allowed, by the dry run of one that is refused to everyone. */
export function checkRights({ answers }: Facts): readonly Finding[] {
  if (answers === undefined) return [NOT_REACHED];
  const { write } = answers;
  if ('error' in write && write.error.code === 'forbidden') {
    const message = 'read-only: enough for plan, drift and get; apply is not allowed';
    const hint = 'for apply, use a user with admin: true in GATEWAY_ADMIN_API_USERS';
    return [{ status: 'ok', message, hint, values: { rights: 'read-only' } }];
  }
  const isAllowed =
    'error' in write ? AFTER_RIGHTS.has(write.error.code) : valueOf(write.body, 'upsertResult') !== undefined;
  if (isAllowed) {
    const message = 'admin: the dry run of a write was not forbidden';
    return [{ status: 'ok', message, values: { rights: 'admin' } }];
  }
  if ('error' in write && write.error.code === 'unauthorized')
    return [notChecked('the gateway does not accept the credentials')];
  return [unanswered(write)];
}

/** How the gateway authenticates clients, as far as it tells, beside what gwconf.yaml has. */
export function checkSecurity({ answers }: Facts, { security, absentIn }: Expected): readonly Finding[] {
  if (answers === undefined) return [NOT_REACHED];
  const protocol = protocolIn(answers);
  const hasClusters = hasVirtualClusters(answers);
  if (protocol === undefined && hasClusters === undefined && isFailed(answers.list))
    return [unanswered(answers.list)];
  if (protocol === undefined && hasClusters === undefined)
    return [
      notChecked('the gateway does not tell', 'write security in gwconf.yaml, for checks that need it'),
    ];
  const told = [
    ...(protocol === undefined ? [] : [protocol]),
    ...(hasClusters === undefined
      ? []
      : [hasClusters ? 'with virtual clusters' : 'without virtual clusters']),
  ].join(', ');
  const values = { ...(protocol === undefined ? {} : { protocol }), virtualClusters: hasClusters ?? null };
  if (security === undefined) {
    const hint = 'write security for the environment in gwconf.yaml, for checks that need it';
    return [{ status: 'ok', message: told, hint, values }];
  }
  // GATEWAY_MANAGED and KAFKA_MANAGED are modes, the others are protocols (gateway-api D.1, D.2).
  const isProtocol = !security.endsWith('_MANAGED');
  const isOther = isProtocol && protocol !== undefined && protocol !== security;
  const isElsewhere = hasClusters !== undefined && hasClusters === absentIn.includes(security);
  if (!isOther && !isElsewhere) return [{ status: 'ok', message: told, values }];
  return [
    {
      status: 'warning',
      message: `${told}; gwconf.yaml has ${security}`,
      hint: 'correct security of the environment in gwconf.yaml: files are checked for it',
      values,
    },
  ];
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
