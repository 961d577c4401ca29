import { createServer, request as forward } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../../src/gateway/gateway.ts';
import { readProxy } from '../../src/gateway/http/target.ts';
import { makeAuthority, makeCertificate } from './certificates.ts';
import { always, closeAll, failureOf, gatewayAt, listen, serve } from './opponent.ts';
import { shelf } from './toy-kinds.ts';

afterEach(closeAll);

type Seen = { readonly what: string; readonly authorization: string | undefined };

/** A proxy that forwards requests and opens tunnels; with a password it lets nobody else through. */
async function proxy(wanted?: string): Promise<{ readonly place: string; readonly seen: readonly Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const authorization = request.headers['proxy-authorization'];
    seen.push({ what: `${request.method ?? ''} ${request.url ?? ''}`, authorization });
    if (wanted !== undefined && authorization !== wanted) {
      response.writeHead(407).end();
      return;
    }
    const { 'proxy-authorization': _, ...headers } = request.headers;
    const onward = forward(
      request.url ?? '',
      { method: request.method ?? 'GET', headers, agent: false },
      (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      },
    );
    request.pipe(onward);
  });
  server.on('connect', (request, socket) => {
    const authorization = request.headers['proxy-authorization'];
    seen.push({ what: `CONNECT ${request.url ?? ''}`, authorization });
    socket.on('error', () => undefined);
    if (wanted !== undefined && authorization !== wanted) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    const { hostname, port } = new URL(`http://${request.url ?? ''}`);
    const onward = connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    }).on('error', () => socket.destroy());
  });
  return { place: `127.0.0.1:${await listen(server)}`, seen };
}

const pass = `Basic ${Buffer.from('bob:p@ss').toString('base64')}`;

describe('a call through a proxy', () => {
  it('is handed to it whole when it is plain HTTP', async () => {
    const gateway = await serve(always(200, []));
    const { place, seen } = await proxy(pass);
    await gatewayAt(`${gateway.url}/team`, { proxy: `http://bob:p%40ss@${place}`, user: 'admin' }).list(
      shelf,
    );
    expect(seen).toEqual([{ what: `GET ${gateway.url}/team/gateway/v2/shelf`, authorization: pass }]);
    expect(gateway.received).toMatchObject([
      { path: '/team/gateway/v2/shelf', headers: { host: `127.0.0.1:${gateway.port}` } },
    ]);
  });

  it('goes through a tunnel when it is HTTPS, and trusts nobody more for that', async () => {
    const authority = await makeAuthority();
    const gateway = await serve(always(200, []), await makeCertificate(authority));
    const { place, seen } = await proxy(pass);
    const through = { proxy: `http://bob:p%40ss@${place}` };
    expect(await gatewayAt(gateway.url, { ...through, ca: authority.cert }).list(shelf)).toEqual([]);
    expect(seen).toEqual([{ what: `CONNECT 127.0.0.1:${gateway.port}`, authorization: pass }]);
    expect(gateway.received[0]?.headers).not.toHaveProperty('proxy-authorization');

    const error = await failureOf(gatewayAt(gateway.url, through).list(shelf));
    expect(error.code).toBe('untrusted');
  });

  it('has a tunnel of its own once the gateway has reset one that was used before', async () => {
    const authority = await makeAuthority();
    const used = new WeakSet<Socket>();
    const server = await serve(
      (response) => {
        const { socket } = response;
        if (socket === null || used.has(socket)) socket?.destroy();
        else response.end('[]');
        if (socket !== null) used.add(socket);
      },
      await makeCertificate(authority),
    );
    const { place } = await proxy();
    const gateway = gatewayAt(server.url, { proxy: `http://${place}`, ca: authority.cert });
    let failures = 0;
    for (let call = 0; call < 8; call += 1) await gateway.list(shelf).catch(() => (failures += 1));
    expect(failures).toBe(1);
  });

  it('still finds a certificate for another host', async () => {
    const authority = await makeAuthority();
    const gateway = await serve(
      always(200, []),
      await makeCertificate(authority, { host: 'gateway.example' }),
    );
    const { place } = await proxy();
    const error = await failureOf(gatewayAt(gateway.url, { proxy: place, ca: authority.cert }).list(shelf));
    expect(error.message).toContain('is for other names: DNS:gateway.example');
  });

  it('does not take it when NO_PROXY names the host', async () => {
    const gateway = await serve(always(200, []));
    const { place, seen } = await proxy();
    await gatewayAt(gateway.url, { proxy: `http://${place}`, noProxy: 'other.example,127.0.0.1' }).list(
      shelf,
    );
    expect(seen).toEqual([]);
    expect(gateway.received).toHaveLength(1);
  });

  it.each(['http', 'https'])('to an %s address fails when the proxy wants a password', async (scheme) => {
    const { place } = await proxy(pass);
    const error = await failureOf(
      gatewayAt(`${scheme}://127.0.0.1:1`, { proxy: `http://bob:wrong@${place}` }).list(shelf),
    );
    expect(error).toMatchObject({ code: 'unreachable', status: 407 });
    expect(error.message).toBe(`the proxy ${place} requires a user and a password (407)`);
  });

  it('fails when the proxy is not there', async () => {
    const { place } = await proxy();
    await closeAll();
    for (const scheme of ['http', 'https']) {
      const error = await failureOf(gatewayAt(`${scheme}://127.0.0.1:1`, { proxy: place }).list(shelf));
      expect(error.message).toBe(`the proxy ${place} refused the connection (ECONNREFUSED)`);
      expect(error.hint).toContain('HTTPS_PROXY');
    }
  });

  it.each([
    [403, 'refuses to connect', 'have the proxy allow the gateway'],
    [503, 'cannot connect', 'check the host and port of --url, and that the gateway is running'],
  ])('fails when the proxy does not let it through: %i', async (status, what, hint) => {
    const refusing = createServer().on('connect', (_, socket) => socket.end(`HTTP/1.1 ${status} No\r\n\r\n`));
    const place = `127.0.0.1:${await listen(refusing)}`;
    const error = await failureOf(gatewayAt('https://127.0.0.1:1', { proxy: place }).list(shelf));
    expect(error.message).toBe(`the proxy ${place} ${what} to 127.0.0.1:1 (${status})`);
    expect(error.hint).toContain(hint);
  });

  it('fails early when the address of the proxy is no URL', () => {
    for (const address of ['http://bob:hunter2@', 'socks5://bob:hunter2@h']) {
      const open = () => gatewayAt('http://h', { proxy: address });
      expect(open).toThrow(GatewayError);
      expect(open).toThrow('the address of the proxy is not an http or https URL');
      expect(open).not.toThrow('hunter2');
    }
  });
});

describe('NO_PROXY', () => {
  it.each([
    ['*', 'http://a.example', true],
    ['a.example', 'http://a.example', true],
    ['A.Example', 'https://a.example', true],
    ['example', 'http://a.example', true],
    ['.example', 'http://a.example', true],
    ['*.example', 'http://a.example', true],
    ['b.example, a.example', 'http://a.example', true],
    ['b.example  a.example', 'http://a.example', true],
    ['a.example:8888', 'http://a.example:8888', true],
    ['a.example:443', 'https://a.example', true],
    ['a.example', 'http://a.example.', true],
    ['example.', 'http://a.example', true],
    ['a.example.:8888', 'http://a.example.:8888', true],
    ['10.0.0.0/8', 'http://10.1.2.3:8888', true],
    ['fd00::/8', 'http://[fd00::1]', true],
    ['::1', 'http://[::1]:8888', true],
    ['[::1]:8888', 'http://[::1]:8888', true],
    ['', 'http://a.example', false],
    [',', 'http://a.example', false],
    ['a.example:80', 'http://a.example:8888', false],
    ['xample', 'http://a.example', false],
    ['a.example', 'http://example', false],
    ['0.1', 'http://10.0.0.1', false],
    ['10.0.0.0/8', 'http://11.1.2.3', false],
    ['10.0.0.0/99', 'http://10.1.2.3', false],
  ])('%j and %s: past the proxy %s', (noProxy, url, past) => {
    expect(readProxy(new URL(url), 'http://proxy.example', noProxy) === undefined).toBe(past);
  });
});
