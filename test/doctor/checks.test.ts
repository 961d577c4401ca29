import { describe, expect, it } from 'vitest';
import { CHECKS, runChecks, type CheckFinding } from '../../src/doctor/checks.ts';
import type { Expected } from '../../src/doctor/finding.ts';
import {
  type Answers,
  type Certificate,
  type Facts,
  type Reply,
  GatewayError,
  type GatewayErrorCode,
} from '../../src/gateway/gateway.ts';
import type { Json } from '../../src/model/json/json.ts';

const DAY = 24 * 60 * 60 * 1000;
const NOW = 1000 * DAY;
const EXPECTED: Expected = { absentIn: ['PLAINTEXT', 'KAFKA_MANAGED'], deprecations: [] };

const at = { sentAt: NOW, receivedAt: NOW + 10 };
const found = (body: Json = null): Reply => ({ ...at, status: 200, body });
const failed = (code: GatewayErrorCode, status?: number): Reply => ({
  ...at,
  error: new GatewayError(code, `it says ${code}`, { status, hint: 'do something' }),
});
const absent = failed('not-found', 404);

/** A gateway that is well, but for these facts. */
function facts({
  answers,
  ...others
}: Partial<Omit<Facts, 'answers'>> & { answers?: Partial<Answers> } = {}): Facts {
  return {
    url: 'https://gw:8888',
    now: NOW,
    hasCredentials: true,
    isVerified: true,
    tls: { chain: [certificate(100)] },
    pings: Array.from({ length: 6 }, () => found()),
    answers: {
      ...{ ready: found(), health: absent, list: found([]) },
      usage: found({ gatewayVersion: '3.21.0', gatewaySecurityProtocol: 'SASL_SSL' }),
      write: failed('refused', 400),
      ...answers,
    },
    ...others,
  };
}

function certificate(daysLeft: number, about: Partial<Certificate> = {}): Certificate {
  const validTo = NOW + daysLeft * DAY + 1;
  return {
    ...{ subject: 'CN=gw', issuer: 'CN=ca', validFrom: NOW - DAY, validTo },
    ...{ from: 'the first day', until: 'the last day', ...about },
  };
}

/** What one check finds: its status and message. */
function findingsOf(name: string, given: Facts, expected: Expected = EXPECTED): readonly string[] {
  return runChecks(given, expected)
    .filter(({ check }) => check === name)
    .map(({ status, message }) => `${status}: ${message}`);
}

function statusesOf(found: readonly CheckFinding[]): readonly string[] {
  return [...new Set(found.map(({ status }) => status))];
}

describe('the checks of a gateway', () => {
  it('find nothing wrong with one that is well, but for what it does not have', () => {
    const all = runChecks(facts(), { ...EXPECTED, version: '3.21', security: 'SASL_SSL' });
    expect(all.filter(({ status }) => status !== 'ok')).toEqual([
      { check: 'health', status: 'not-checked', message: 'this version has no /health' },
      { check: 'clock', status: 'not-checked', message: 'no response has a Date header' },
    ]);
  });

  it('all say why they found nothing out', () => {
    const unknown = runChecks({ unknown: 'no gateway' }, EXPECTED);
    expect(unknown.map(({ check }) => check)).toEqual(CHECKS.map(({ name }) => name));
    expect(statusesOf(unknown)).toEqual(['not-checked']);
    const alone: Facts = { ...facts({ pings: [failed('unreachable')] }), answers: undefined };
    const unreached = runChecks({ ...alone, tls: { unread: 'no connection' } }, EXPECTED);
    expect(statusesOf(unreached)).toEqual(['error', 'not-checked']);
    expect(new Set(unreached.map(({ check }) => check)).size).toBe(CHECKS.length);
  });

  it('do not depend on each other', () => {
    const given = facts({
      pings: [failed('busy', 503)],
      answers: { ready: failed('busy', 503), list: failed('unauthorized', 401) },
    });
    const all = runChecks(given, EXPECTED);
    const errors = all.filter(({ status }) => status === 'error').map(({ check }) => check);
    expect(errors).toEqual(['credentials', 'live', 'ready']);
    expect(findingsOf('version', given)[0]).toBe('ok: 3.21.0');
  });

  it('have a cure for all that is wrong', () => {
    const broken = (['unreachable', 'failed', 'busy', 'forbidden', 'unauthorized'] as const).map((code) => {
      const reply = failed(code, 500);
      const answers = { ready: reply, health: reply, list: reply, usage: reply, write: reply };
      return runChecks(facts({ pings: [reply], answers, isVerified: false }), EXPECTED);
    });
    for (const { status, hint, message } of broken.flat()) {
      expect(message).not.toMatch(/\.$/);
      if (status === 'warning' || status === 'error') expect(hint).toMatch(/^[a-z].*[^.]$/);
    }
  });
});

describe('reachable', () => {
  it.each([
    [found(), 'ok: https://gw:8888 answers'],
    [absent, 'ok: https://gw:8888 answers'],
    [failed('unauthorized', 401), 'ok: https://gw:8888 answers'],
    [failed('busy', 503), 'ok: https://gw:8888 answers'],
    [failed('busy', 502), 'error: it says busy'],
    [failed('not-understood', 200), 'error: it says not-understood'],
    [failed('timeout'), 'error: it says timeout'],
    [failed('untrusted'), 'not-checked: a server is there, but TLS with it fails: see certificates'],
  ])('%#', (ping, expected) => expect(findingsOf('reachable', facts({ pings: [ping] }))).toEqual([expected]));
});

describe('certificates', () => {
  it.each([
    [30, 'ok: CN=gw, issued by CN=ca: 30 days left, until the last day'],
    [29, 'warning: CN=gw, issued by CN=ca: 29 days left, until the last day'],
    [1, 'warning: CN=gw, issued by CN=ca: 1 day left, until the last day'],
    [0, 'warning: CN=gw, issued by CN=ca: 0 days left, until the last day'],
    [-1, 'error: CN=gw, issued by CN=ca: expired on the last day'],
  ])('with %i days left', (days, expected) => {
    const chain = [certificate(days), certificate(400, { subject: 'CN=ca' })];
    expect(findingsOf('certificates', facts({ tls: { chain } }))).toEqual([
      'ok: the certificate is trusted',
      expected,
      'ok: CN=ca, issued by itself: 400 days left, until the last day',
    ]);
  });

  it('that are not valid yet, not trusted, not verified, not readable', () => {
    const early = { chain: [certificate(100, { validFrom: NOW + 1 })] };
    expect(findingsOf('certificates', facts({ tls: early }))[1]).toBe(
      'error: CN=gw, issued by CN=ca: not valid before the first day',
    );
    expect(findingsOf('certificates', facts({ pings: [failed('untrusted')] }))[0]).toBe(
      'error: it says untrusted',
    );
    const accepted = facts({ isVerified: false, tls: { chain: [], fault: 'SELF_SIGNED' } });
    expect(findingsOf('certificates', accepted)).toEqual([
      'warning: any certificate is accepted, since verification is off; this one is not trusted (SELF_SIGNED)',
    ]);
    expect(findingsOf('certificates', facts({ tls: { unread: 'a proxy' } }))).toEqual([
      'ok: the certificate is trusted',
      'not-checked: no certificate was read: a proxy',
    ]);
  });

  it('that are missing are fine on this machine only', () => {
    const plain = (url: string) => findingsOf('certificates', facts({ tls: undefined, url }))[0];
    expect(plain('http://localhost:8888')).toBe('ok: plain http to this machine');
    expect(plain('http://gw:8888')).toMatch(/^warning: plain http/);
  });
});

describe('credentials and rights', () => {
  it.each([
    [found([]), 'ok: the gateway accepts them'],
    [failed('refused', 400), 'ok: the gateway accepts them'],
    [failed('unauthorized', 401), 'error: it says unauthorized'],
    [failed('forbidden', 403), 'error: it says forbidden'],
    [absent, 'error: it says not-found'],
    [failed('failed', 500), 'not-checked: it says failed'],
  ])('credentials %#', (list, expected) =>
    expect(findingsOf('credentials', facts({ answers: { list } }))).toEqual([expected]),
  );

  it('are missed where nothing asks for them', () => {
    expect(findingsOf('credentials', facts({ hasCredentials: false }))[0]).toMatch(/^warning: none are set/);
    const refused = facts({ hasCredentials: false, answers: { list: failed('unauthorized', 401) } });
    expect(findingsOf('credentials', refused)).toEqual(['error: it says unauthorized']);
  });

  it.each([
    [failed('refused', 400), /^ok: admin/],
    [failed('conflict', 409), /^ok: admin/],
    [found({ resource: {}, upsertResult: 'NotChanged' }), /^ok: admin/],
    [found({}), /^not-checked: the response is of no known form/],
    [failed('forbidden', 403), /^ok: read-only/],
    [failed('unauthorized', 401), /^not-checked: the gateway does not accept/],
    [absent, /^not-checked: it says/],
    [failed('not-understood', 200), /^not-checked: it says/],
    [failed('busy', 503), /^not-checked: it says/],
  ])('rights %#', (write, expected) =>
    expect(findingsOf('rights', facts({ answers: { write } }))[0]).toMatch(expected),
  );
});

describe('version', () => {
  const versionIs = (gatewayVersion: string, version?: string) =>
    findingsOf('version', facts({ answers: { usage: found({ gatewayVersion }) } }), {
      ...EXPECTED,
      version,
    });

  it('is compared with that of gwconf.yaml, as far as it matters', () => {
    expect(versionIs('3.15.2', '3.15.0')[0]).toBe('ok: 3.15.2');
    expect(versionIs('3.15.2', '3.5')[0]).toBe('warning: 3.15.2; gwconf.yaml has 3.5');
  });

  it.each([
    ['3.2.0', 'error: 3.2.0 has no v2 API, which gwconf needs'],
    ['3.20.9', 'ok: by its version it has the v1 API and /health, which 3.21.0 removes; v1 was not called'],
    ['3.21.0-rc1', 'ok: by its version it has no v1 API and no /health, which 3.21.0 removed'],
    [
      '4.0.0',
      'ok: by its version it has no v1 API and no /health, which 3.21.0 removed; it is later than 3.21.1, the newest that gwconf knows',
    ],
  ])('%s', (version, meaning) => expect(versionIs(version)[1]).toBe(meaning));

  it('comes from /health where nothing else tells, and is text of no other form', () => {
    const health = found({ checks: [{ id: 'live' }, { id: 'buildInfo', data: { version: '3.8.0' } }] });
    expect(findingsOf('version', facts({ answers: { usage: absent, health } }))[0]).toBe('ok: 3.8.0');
    for (const odd of ['<b>', '3', `3.${'1'.repeat(99)}`, 'latest'])
      expect(versionIs(odd)).toEqual(['not-checked: the gateway does not tell']);
  });
});

describe('deprecations', () => {
  const deprecations = [
    { name: 'a', since: '3.10.0', removed: '3.20.0' },
    { name: 'b', since: '3.15.0' },
    { name: 'c', since: '3.21.0', removed: '3.24.0' },
  ];
  it.each([
    ['3.9.0', []],
    ['3.19.9', ['ok: deprecated in this version: a (until 3.20.0), b']],
    ['3.21.0', ['ok: deprecated in this version: b, c (until 3.24.0)']],
  ])('in %s', (gatewayVersion, expected) => {
    const given = facts({ answers: { usage: found({ gatewayVersion }) } });
    expect(findingsOf('version', given, { ...EXPECTED, deprecations }).slice(2)).toEqual(expected);
  });

  it('are not told where the version is not', () => {
    const given = facts({ answers: { usage: failed('unauthorized', 401) } });
    expect(findingsOf('version', given)).toEqual(['not-checked: it says unauthorized']);
  });
});

describe('security', () => {
  const refused = failed('refused', 400);
  it.each([
    ['SASL_SSL', found([]), undefined, 'ok: SASL_SSL, with virtual clusters'],
    ['SASL_SSL', found([]), 'SASL_SSL', 'ok: SASL_SSL, with virtual clusters'],
    ['SASL_SSL', found([]), 'GATEWAY_MANAGED', 'ok: SASL_SSL, with virtual clusters'],
    [
      'SASL_SSL',
      found([]),
      'SASL_PLAINTEXT',
      'warning: SASL_SSL, with virtual clusters; gwconf.yaml has SASL_PLAINTEXT',
    ],
    [undefined, found([]), 'KAFKA_MANAGED', 'warning: with virtual clusters; gwconf.yaml has KAFKA_MANAGED'],
    [
      undefined,
      refused,
      'GATEWAY_MANAGED',
      'warning: without virtual clusters; gwconf.yaml has GATEWAY_MANAGED',
    ],
    [undefined, refused, 'PLAINTEXT', 'ok: without virtual clusters'],
    ['SASL_SSL', failed('failed', 500), 'SASL_SSL', 'ok: SASL_SSL'],
    [undefined, failed('failed', 500), 'SASL_SSL', 'not-checked: it says failed'],
    [undefined, absent, 'SASL_SSL', 'not-checked: the gateway does not tell'],
  ])('%#', (gatewaySecurityProtocol, list, security, expected) => {
    const usage = found(gatewaySecurityProtocol === undefined ? {} : { gatewaySecurityProtocol });
    const given = facts({ answers: { usage, list } });
    expect(findingsOf('security', given, { ...EXPECTED, security })).toEqual([expected]);
  });
});

describe('health', () => {
  const old = (status: string): Partial<Answers> => ({
    ready: absent,
    health: found({ status, checks: [{ id: 'live', status }] }),
  });

  it('is that of /health before 3.12.0', () => {
    const well = facts({ pings: [absent], answers: old('UP') });
    expect(findingsOf('live', well)[0]).toMatch(/^ok: \/health is UP/);
    expect(findingsOf('health', well)).toEqual(['ok: live is UP']);
    const ill = facts({ pings: [absent], answers: old('DOWN') });
    expect(findingsOf('ready', ill)).toEqual(['error: /health is not UP']);
    expect(findingsOf('health', ill)).toEqual(['error: live is DOWN']);
    const neither = facts({ pings: [absent], answers: { ready: absent } });
    expect(findingsOf('ready', neither)).toEqual(['not-checked: this version has no /health/ready']);
  });

  it('names the checks of each state', () => {
    const checks = [{ name: 'kafka', status: 'DOWN' }, { status: 1 }, null];
    expect(findingsOf('ready', facts({ answers: { ready: found({ checks }) } }))).toEqual([
      'ok: it is ready',
      'error: kafka is DOWN',
      'error: null is 1',
      'error: null is null',
    ]);
  });

  it('is not repeated at any length', () => {
    const health = found({
      checks: Array.from({ length: 1000 }, () => ({ id: 'x'.repeat(1000), status: 'UP' })),
    });
    const all = findingsOf('health', facts({ answers: { health } }));
    expect([all.length, all.join('').length < 2000]).toEqual([20, true]);
  });
});

describe('clock', () => {
  const withDates = (...offsets: readonly number[]): Facts =>
    facts({ pings: offsets.map((offset) => ({ ...found(), date: NOW + offset })) });

  it.each([
    [[0], 'ok: its clock agrees with ours'],
    [[5000], 'ok: its clock agrees with ours'],
    [[-5999], 'ok: its clock agrees with ours'],
    [[5011], 'warning: the clock of the gateway, or of a proxy before it, is 5 seconds ahead of ours'],
    [[-7000], 'warning: the clock of the gateway, or of a proxy before it, is 6 seconds behind ours'],
    [[3_600_010], 'warning: the clock of the gateway, or of a proxy before it, is 60 minutes ahead of ours'],
    // Each reply narrows it down.
    [[-5000], 'ok: its clock agrees with ours'],
    [[-6000, -5000], 'warning: the clock of the gateway, or of a proxy before it, is 5 seconds behind ours'],
  ])('%j', (offsets, expected) => expect(findingsOf('clock', withDates(...offsets))).toEqual([expected]));

  it('is not known without a Date header', () => {
    expect(findingsOf('clock', facts())).toEqual(['not-checked: no response has a Date header']);
  });
});

describe('latency', () => {
  it.each([
    [[9999, 3, 1, 2, 500, 4], 'ok: 3 ms for a small request (median of 5)'],
    [[1, 1000, 1000, 1], 'warning: 1000 ms for a small request (median of 3)'],
    [[1], 'not-checked: the gateway was not reached'],
  ])('%j', (times, expected) => {
    const pings = times.map((ms) => ({ ...found(), receivedAt: NOW + ms }));
    expect(findingsOf('latency', facts({ pings }))).toEqual([expected]);
  });
});
