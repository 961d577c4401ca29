import { createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../../src/gateway/gateway.ts';
import { explainFailure } from '../../src/gateway/http/call-failure.ts';
import { readTarget } from '../../src/gateway/http/target.ts';
import { takeFewConnections } from '../support/few-connections.ts';
import { always, closeAll, failureOf, gatewayAt, listen, serve, stopTime } from './opponent.ts';
import { shelf } from './toy-kinds.ts';

afterEach(closeAll);

describe('a gateway that does not answer', () => {
  it('because nothing listens there', async () => {
    const server = createServer();
    const port = await listen(server);
    await closeAll();
    const error = await failureOf(gatewayAt(`http://127.0.0.1:${port}`).list(shelf));
    expect(error).toMatchObject({ code: 'unreachable', status: undefined });
    expect(error.message).toBe(`127.0.0.1:${port} refused the connection (ECONNREFUSED)`);
    expect(error.hint).toContain('--url');
  });

  it('in time', async () => {
    const time = stopTime();
    const server = await serve(() => time.start());
    const call = failureOf(gatewayAt(server.url, { timeoutMs: 20 }).list(shelf));
    await time.pass(20);
    const error = await call;
    expect(error.code).toBe('timeout');
    expect(error.message).toMatch(/ did not respond to GET \/gateway\/v2\/\S+ within 0\.02 s$/);
    expect(error.hint).toBe('try again, or increase --timeout');
  });

  it('to the end in time', async () => {
    const time = stopTime();
    const server = await serve((response) => response.writeHead(200).write('[', () => time.start()));
    const call = failureOf(gatewayAt(server.url, { timeoutMs: 20 }).list(shelf));
    await time.pass(20);
    const error = await call;
    expect(error.code).toBe('timeout');
    expect(error.message).toMatch(/ did not complete its response to GET \/gateway\/v2\/\S+ within 0\.02 s$/);
  });

  it('any more, though it did before, is not looked for at another port', async () => {
    let calls = 0;
    const server = await serve((response) => {
      calls += 1;
      if (calls === 1) response.setHeader('connection', 'close').end('[]');
      else response.socket?.destroy();
    });
    const gateway = gatewayAt(server.url);
    await gateway.list(shelf);
    const { message, hint } = await failureOf(gateway.list(shelf));
    expect(message).toContain('closed the connection');
    expect(hint).toMatch(/^it has answered before: check that it still runs/);
    const refused = Object.assign(new Error('odd'), { code: 'ECONNREFUSED' });
    const target = readTarget({ url: server.url, userAgent: 'gwconf' });
    expect(explainFailure(refused, target, 'connect', { hasAnswered: true })).toMatchObject({ hint });
  });

  it('but hangs up', async () => {
    const server = await serve((response) => response.socket?.destroy());
    const error = await failureOf(gatewayAt(server.url).list(shelf));
    expect(error.code).toBe('unreachable');
    expect(error.message).toContain('closed the connection without a response');
    expect(error.hint).toContain('https://');
    expect(error.hint).toContain('where no gateway runs behind it');
  });

  it.each([
    ['its length', { 'content-length': '100' }],
    ['chunks', {}],
  ])('but hangs up in the middle of an answer told by %s', async (_, headers) => {
    const server = await serve((response) => {
      response.writeHead(200, headers).write('[', () => response.socket?.destroy());
    });
    const error = await failureOf(gatewayAt(server.url).list(shelf));
    expect(error.code).toBe('unreachable');
    expect(error.message).toContain('was cut off');
  });

  it.each([1, 8])('of %i calls at once more than once on a connection', async (count) => {
    const calls = new WeakMap<Socket, number>();
    const server = await serve((response) => {
      const { socket } = response;
      if (socket === null) return;
      calls.set(socket, (calls.get(socket) ?? 0) + 1);
      if (calls.get(socket) === 1) response.end('[]');
      else socket.destroy();
    });
    const gateway = gatewayAt(server.url);
    const rounds: number[] = [];
    for (let round = 0; round < 12; round += 1) {
      const results = await Promise.allSettled(Array.from({ length: count }, () => gateway.list(shelf)));
      rounds.push(results.filter(({ status }) => status === 'rejected').length);
    }
    // One round meets the connections of the first; then each call has its own.
    expect(rounds.filter((failures) => failures > 0)).toHaveLength(1);
  });

  it.each(['reset', 'closed'] as const)(
    'on connections beyond its limit, which are %s: the others are kept',
    async (rejection) => {
      const carriers = new Set<Socket | null>();
      const server = await serve((response) => {
        carriers.add(response.socket);
        response.end('[]');
      });
      const { url, rejected } = await takeFewConnections(server.url, 1, rejection);
      const gateway = gatewayAt(url);
      for (let round = 0; round < 8; round += 1) {
        const results = await Promise.allSettled(Array.from({ length: 8 }, () => gateway.list(shelf)));
        expect(results.map(({ status }) => status)).toContain('fulfilled');
      }
      expect(rejected()).toBeGreaterThan(0);
      expect(carriers.size).toBe(1);
    },
  );

  it('in HTTP', async () => {
    const port = await listen(
      createServer((socket) => socket.on('error', () => undefined).end('220 mail ESMTP\r\n')),
    );
    const error = await failureOf(gatewayAt(`http://127.0.0.1:${port}`).list(shelf));
    expect(error.code).toBe('unreachable');
    expect(error.message).toContain('does not speak HTTP');
  });
});

describe('the scheme', () => {
  it('is wrong when https meets plain HTTP', async () => {
    const server = await serve(always(200, []));
    const error = await failureOf(gatewayAt(server.url.replace('http:', 'https:')).list(shelf));
    expect(error.code).toBe('unreachable');
    expect(error.message).toContain('does not speak TLS');
    expect(error.hint).toContain('http://');
  });

  it('is wrong when a TLS port says so in plain HTTP', async () => {
    const page = '<html><body>400 The plain HTTP request was sent to HTTPS port</body></html>';
    const server = await serve(always(400, page, { 'content-type': 'text/html' }));
    const error = await failureOf(gatewayAt(server.url).list(shelf));
    expect(error.message).toContain('speaks TLS only');
    expect(error.hint).toContain('https://');
  });
});

describe('what the system says', () => {
  const target = readTarget({ url: 'https://gateway.example', userAgent: 'gwconf/1.2.3', timeoutMs: 30_000 });

  it.each([
    ['ENOTFOUND', 'unreachable', 'the host name of gateway.example:443 cannot be resolved (ENOTFOUND)'],
    ['EAI_AGAIN', 'unreachable', 'the host name of gateway.example:443 cannot be resolved (EAI_AGAIN)'],
    ['EHOSTUNREACH', 'unreachable', 'there is no route to gateway.example:443 (EHOSTUNREACH)'],
    ['UND_ERR_CONNECT_TIMEOUT', 'timeout', 'gateway.example:443 did not accept a connection within 10 s'],
    [
      'CERT_NOT_YET_VALID',
      'untrusted',
      'the certificate of gateway.example:443 is not valid yet (CERT_NOT_YET_VALID)',
    ],
    [
      'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
      'untrusted',
      'gateway.example:443 requires a client certificate (ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED)',
    ],
    [
      'ERR_SSL_UNSUPPORTED_PROTOCOL',
      'untrusted',
      'the TLS handshake with gateway.example:443 failed (ERR_SSL_UNSUPPORTED_PROTOCOL)',
    ],
    ['EPROTO', 'unreachable', 'gateway.example:443 does not speak TLS (EPROTO)'],
    ['ESTRANGE', 'unreachable', 'the call to gateway.example:443 failed: odd (ESTRANGE)'],
  ])('with %s is told as %s', (code, kind, message) => {
    const error = explainFailure(Object.assign(new Error('odd'), { code }), target, 'request');
    expect(error).toMatchObject({ name: 'GatewayError', code: kind, message });
  });

  it('about the client certificate that was given is told of that', () => {
    const code = 'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA';
    const withCert = readTarget({
      url: 'https://gateway.example',
      userAgent: 'gwconf',
      cert: 'PEM',
      key: 'PEM',
    });
    const error = explainFailure(Object.assign(new Error('odd'), { code }), withCert, 'request');
    const message = `gateway.example:443 rejects the client certificate (${code})`;
    expect(error).toMatchObject({ code: 'untrusted', message });
  });

  it('comes back as it is when it is no failure of the world', () => {
    const bug = new TypeError('x is not a function');
    expect(explainFailure(bug, target, 'request')).toBe(bug);
  });
});

describe('a connection that cannot be one', () => {
  it.each([
    ['', 'is not a URL'],
    ['http://bob:hunter2@', 'is not a URL'],
    ['localhost:8888', 'does not begin with http:// or https://'],
    ['ftp://bob:hunter2@h', 'does not begin with http:// or https://'],
    ['https://h:8888/?key=hunter2', 'has a ? or #, and what follows is in no call'],
    ['https://h:8888/#hunter2', 'has a ? or #, and what follows is in no call'],
  ])('has the address "%s"', (url, message) => {
    expect(() => gatewayAt(url)).toThrow(GatewayError);
    expect(() => gatewayAt(url)).toThrow(message);
    expect(() => gatewayAt(url)).not.toThrow('hunter2');
  });

  it('has a header that would become two', () => {
    expect(() => gatewayAt('http://h', { headers: { 'X-A': 'b\r\nX-C: d' } })).toThrow(
      'characters that HTTP',
    );
  });
});

describe('closing', () => {
  it('lets what was sent come to its end', async () => {
    let answer = (): void => undefined;
    const asked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const server = await serve((response) => {
      answer();
      setImmediate(() => response.writeHead(200).end('[]'));
    });
    const gateway = gatewayAt(server.url);
    const list = gateway.list(shelf);
    await asked;
    await gateway.close();
    expect(await list).toEqual([]);
  });

  it('may be done twice, and before anything was opened', async () => {
    const gateway = gatewayAt('http://127.0.0.1:1');
    await gateway.close();
    await gateway.close();
  });
});
