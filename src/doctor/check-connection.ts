import type { Certificate, Facts, Reply } from '../gateway/facts.ts';
import type { GatewayErrorCode } from '../gateway/gateway.ts';
import { formatDuration } from '../model/text/quantities.ts';
import { isLoopback } from '../model/text/loopback.ts';
import { NOT_REACHED, notChecked, type Finding } from './finding.ts';

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
  const left = `${daysLeft} ${daysLeft === 1 ? 'day' : 'days'} left, until ${until}`;
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
