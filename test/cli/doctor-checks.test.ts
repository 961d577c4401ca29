import type { ServerOptions } from 'node:https';
import { afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { DoctorReport, FindingRecord } from '../../src/outcome/gateway.ts';
import { serveGateway } from '../../src/emulator/server.ts';
import { memoryGateway } from '../../src/emulator/memory.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { makeAuthority, makeCertificate, type Pair } from '../gateway/certificates.ts';
import { always, closeAll, serve as serveAnything, type Answerer } from '../gateway/opponent.ts';
import { makeWorld, NOW, verdictOf, type Ran, type World } from '../support/cli.ts';
import { LOGIN, serve, worldBeside } from '../support/served.ts';
import { projectOf } from '../support/documents.ts';

afterEach(closeAll);

type Diagnosed = { readonly ran: Ran; readonly report: DoctorReport };

async function diagnose(world: World, ...args: readonly string[]): Promise<Diagnosed> {
  const ran = await world.run('doctor', '-o', 'json', ...args);
  return { ran, report: JSON.parse(ran.out) as DoctorReport };
}

/** The findings of a check: statuses and messages. */
function findingsOf({ report }: Diagnosed, name: string): readonly string[] {
  return report.checks.filter(({ check }) => check === name).map(print);
}

function print({ status, message }: FindingRecord): string {
  return `${status}: ${message}`;
}

/** A world whose gateway answers everything in this way. */
async function worldOf(
  answer: Answerer,
  tls?: ServerOptions,
  ...files: readonly [string, string][]
): Promise<World> {
  const { url } = await serveAnything(answer, tls);
  const world = makeWorld(Object.fromEntries(files));
  Object.assign(world.env, LOGIN, { GWCONF_URL: url });
  return world;
}

describe('gwconf doctor of an embedded gateway', () => {
  it('finds it well, and sends one dry run', async () => {
    const there = await serve();
    const world = worldBeside(there, {
      'gwconf.yaml': projectOf({ prod: 'version: 3.21.0, security: SASL_SSL' }),
    });
    const found = await diagnose(world);
    const { ran, report } = found;
    expect([ran.code, verdictOf(ran), report.result, report.objects]).toEqual([0, 'result: ok', 'ok', 0]);
    const others = report.checks.filter(({ check, status }) => status !== 'ok' && check !== 'clock');
    expect(others.map(print)).toEqual(['not-checked: this version has no /health']);
    expect(findingsOf(found, 'rights')).toEqual(['ok: admin: the dry run of a write was not forbidden']);
    expect(there.writes()).toMatchObject([
      { method: 'PUT', path: '/gateway/v2/virtual-cluster?dryMode=true', status: 400 },
    ]);
    expect(report.settings).toContainEqual({ name: 'password', value: '(set)', origin: 'GWCONF_PASSWORD' });
    const { out } = await world.run('doctor');
    expect(out).toMatch(/^rights +ok +admin: the dry run/m);
    expect(out).toMatch(
      /\nThe gateway answers: 0 resources\.\n\nChecks: \d+ ok, \d warnings?, 0 errors, 1 not checked\.\n$/,
    );
  });

  it('tells an admin from a user that can only read, and from a wrong password', async () => {
    const users = [{ username: 'reader', password: 'r-pass', admin: false }];
    const server = await serveGateway(memoryGateway(catalog.kinds), { port: 0, users });
    onTestFinished(() => server.close());
    const world = makeWorld();
    Object.assign(world.env, { GWCONF_URL: server.url, GWCONF_USER: 'reader', GWCONF_PASSWORD: 'r-pass' });
    const found = await diagnose(world);
    expect([found.ran.code, findingsOf(found, 'rights')]).toEqual([
      0,
      ['ok: read-only: enough for plan, drift and get; apply is not allowed'],
    ]);
    world.env['GWCONF_PASSWORD'] = 'other';
    const refused = await diagnose(world);
    expect([refused.ran.code, refused.report.result]).toEqual([1, 'error']);
    expect(findingsOf(refused, 'credentials')[0]).toMatch(/^error: .* rejects the user or the password/);
    expect(findingsOf(refused, 'rights')).toEqual([
      'not-checked: the gateway does not accept the credentials',
    ]);
    expect(findingsOf(refused, 'version')[0]).toMatch(/^not-checked/);
    expect(findingsOf(refused, 'live')).toEqual(['ok: it is live']);
  });

  it('says that gwconf.yaml has another version and security mode', async () => {
    const world = worldBeside(await serve({ version: '3.11.0', security: 'PLAINTEXT' }), {
      'gwconf.yaml': projectOf({ prod: 'version: 3.15.0, security: SASL_SSL' }),
    });
    const found = await diagnose(world);
    expect([found.ran.code, found.report.result]).toEqual([0, 'ok']);
    expect(findingsOf(found, 'version')[0]).toBe('warning: 3.11.0; gwconf.yaml has 3.15.0');
    expect(findingsOf(found, 'security')).toEqual([
      'warning: without virtual clusters; gwconf.yaml has SASL_SSL',
    ]);
    expect(findingsOf(found, 'health')).toEqual(['ok: buildInfo is UP', 'ok: live is UP']);
    expect(found.report.unavailable.map(({ kind }) => kind)).toContain('VirtualCluster');
  });

  it('is not about one in this process', async () => {
    const { report } = await diagnose(makeWorld(), '--url', 'embedded:');
    expect(new Set(report.checks.map(print))).toEqual(
      new Set(['not-checked: the embedded gateway runs in this process']),
    );
    expect(report).toMatchObject({ result: 'ok', objects: 0 });
  });
});

describe('gwconf doctor of a gateway that is not well', () => {
  it.each<[string, Answerer]>([
    ['an HTML page', always(200, '<html>login</html>', { 'content-type': 'text/html' })],
    ['a redirect', always(302, '', { location: 'https://login.example/' })],
    ['an error of a proxy', always(502, 'bad gateway')],
    ['a failure', always(500, { title: 'oops' })],
    ['a closed connection', (response) => response.destroy()],
    ['JSON of another program', always(200, { checks: [[], { id: {}, status: [] }], gatewayVersion: {} })],
    ['no JSON', always(200, '{')],
    ['deep JSON', always(200, '['.repeat(100_000))],
  ])('reports %s, and runs every check', async (_, answer) => {
    const found = await diagnose(await worldOf(answer));
    expect([found.ran.code, verdictOf(found.ran), found.report.result]).toEqual([
      1,
      'result: error',
      'error',
    ]);
    expect(new Set(found.report.checks.map(({ check }) => check)).size).toBe(11);
  });

  it('says that it is not ready, and why', async () => {
    const world = await worldOf((response, { path = '' }) => {
      const status = path === '/health/ready' ? 503 : path === '/health/live' ? 200 : 404;
      const body = { checks: [{ name: 'kafka', status: 'DOWN' }] };
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    const found = await diagnose(world);
    expect(findingsOf(found, 'live')).toEqual(['ok: it is live', 'error: kafka is DOWN']);
    expect(findingsOf(found, 'ready')).toEqual(['error: it is not ready (503)']);
    expect(findingsOf(found, 'credentials')[0]).toMatch(/^error: there is no v2 API at/);
  });

  it('compares clocks', async () => {
    const minutes = 90;
    const date = new Date(NOW.getTime() + minutes * 60_000).toUTCString();
    const found = await diagnose(await worldOf(always(200, [], { date })));
    expect(findingsOf(found, 'clock')).toEqual([
      'warning: the clock of the gateway, or of a proxy before it, is 90 minutes ahead of ours',
    ]);
    const undated = await worldOf((response) => {
      response.sendDate = false;
      response.end('[]');
    });
    expect(findingsOf(await diagnose(undated), 'clock')).toEqual([
      'not-checked: no response has a Date header',
    ]);
  });

  it('prints no secret that comes back, and gives no orders to a terminal', async () => {
    const echo = 'conduktor-secret YWRtaW46Y29uZHVrdG9yLXNlY3JldA== \u001b[2J\n::error::x';
    const body = { title: echo, checks: [{ id: echo, status: echo }], gatewayVersion: `3.1 ${echo}` };
    for (const status of [200, 400, 403, 503]) {
      const world = await worldOf(always(status, body));
      world.env['GWCONF_PASSWORD'] = 'conduktor-secret';
      for (const format of ['human', 'json']) {
        const { out, err } = await world.run('doctor', '-o', format);
        expect(out + err).not.toMatch(/conduktor-secret|YWRtaW46|\u001b|^::error/m);
      }
    }
  });
});

describe('gwconf doctor and TLS', () => {
  let authority: Pair;
  beforeAll(async () => {
    authority = await makeAuthority();
  });
  const certificatesOf = async (world: World, ...args: readonly string[]): Promise<readonly string[]> => {
    const found = await diagnose(world, ...args);
    expect(found.ran.out + found.ran.err).not.toContain('BEGIN');
    return findingsOf(found, 'certificates');
  };
  const ca = (): [string, string] => ['ca.pem', authority.cert];

  it('shows each certificate with the days that are left', async () => {
    const world = await worldOf(always(200, []), await makeCertificate(authority), ca());
    const [trust, gateway, issuer, ...others] = await certificatesOf(world, '--ca-cert', 'ca.pem');
    expect(trust).toBe('ok: the certificate is trusted');
    expect(gateway).toMatch(
      /^ok: CN=gateway, issued by CN=test authority: \d{5} days left, until 2120-01-01$/,
    );
    expect(issuer).toMatch(/^ok: CN=test authority, issued by itself: \d{5} days left, until 2120-01-01$/);
    expect(others).toEqual([]);
  });

  it('shows the certificates that it does not trust, and calls nobody with a password', async () => {
    const { url, received } = await serveAnything(always(200, []), await makeCertificate(authority));
    const world = makeWorld();
    Object.assign(world.env, LOGIN, { GWCONF_URL: url });
    const [trust, gateway] = await certificatesOf(world);
    expect(trust).toMatch(/^error: the certificate of .* is signed by an authority that is not trusted/);
    expect(gateway).toMatch(/^ok: CN=gateway, issued by CN=test authority: \d+ days left/);
    expect(received).toEqual([]);
  });

  it('says that verification is off, and what it would have found', async () => {
    const world = await worldOf(always(200, []), await makeCertificate(undefined, { expired: true }));
    const [trust, gateway] = await certificatesOf(world, '--insecure-skip-verify');
    expect(trust).toMatch(
      /^warning: any certificate is accepted, since verification is off; .* not trusted \(/,
    );
    expect(gateway).toMatch(/^error: CN=gateway, issued by itself: expired on 2021-01-01$/);
  });

  it('needs the client certificate of a gateway that asks for one', async () => {
    const mutual = { ...(await makeCertificate(authority)), ca: authority.cert, requestCert: true };
    const client = await makeCertificate(authority);
    const world = await worldOf(always(200, []), mutual, ca(), ['c.pem', client.cert], ['k.pem', client.key]);
    const flags = ['--ca-cert', 'ca.pem', '--client-cert', 'c.pem', '--client-key', 'k.pem'];
    expect((await certificatesOf(world, ...flags))[0]).toBe('ok: the certificate is trusted');
    const without = await certificatesOf(world, '--ca-cert', 'ca.pem');
    expect(without[1]).toMatch(/^ok: CN=gateway/);
  });

  it('cannot read certificates through a proxy, and says so', async () => {
    const world = await worldOf(always(200, []), await makeCertificate(authority));
    const found = await certificatesOf(world, '--proxy', 'http://127.0.0.1:1');
    expect(found).toEqual([
      'not-checked: the gateway was not reached',
      'not-checked: no certificate was read: the connection goes through a proxy',
    ]);
  });

  it('says that a server does not speak TLS', async () => {
    const { port } = await serveAnything(always(200, []));
    const found = await certificatesOf(makeWorld(), '--url', `https://127.0.0.1:${port}`);
    expect(found[0]).toBe('not-checked: the gateway was not reached');
    expect(found[1]).toMatch(/^not-checked: no certificate was read: .* does not speak TLS/);
  });

  it('does not show the names in a certificate in more than a line', async () => {
    const world = await worldOf(always(200, []), await makeCertificate(authority), ca());
    const { out } = await world.run('doctor', '--ca-cert', 'ca.pem');
    expect(out).toMatch(/^certificates +ok +the certificate is trusted\n +ok +CN=gateway, issued by/m);
  });
});
