import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { openAt as open } from '../support/forge/open-at.ts';
import { listen, serveHttp as serve } from '../support/listen.ts';
import { makeAuthority, makeCertificate } from '../gateway/certificates.ts';

describe('the way to a forge', () => {
  it('escapes the path of the project', async () => {
    const seen: (string | undefined)[] = [];
    const api = await serve((request, response) => {
      seen.push(request.url);
      response.setHeader('content-type', 'application/json').end('[]');
    });
    await (await open(`${api}/api/v4`)).list();
    expect(seen).toEqual([
      '/api/v4/projects/acme%2Fgateway/merge_requests/12/notes?per_page=100&order_by=created_at&sort=asc',
    ]);
  });

  it('waits as long as a limit asks for, and then no longer', async () => {
    let count = 0;
    const api = await serve((_, response) => {
      count += 1;
      if (count < 3) response.writeHead(429, { 'retry-after': String(count * 10) }).end();
      else response.setHeader('content-type', 'application/json').end('[]');
    });
    const forge = await open(api);
    expect(await forge.list()).toEqual([]);
    expect(forge.waits).toEqual([10_000, 20_000]);
  });

  it('gives up after some attempts', async () => {
    const api = await serve((_, response) => response.writeHead(503).end());
    const forge = await open(api);
    await expect(forge.list()).rejects.toThrow('GitLab failed (503)');
    expect(forge.waits).toEqual([1_000, 2_000, 4_000, 8_000]);
  });

  it('tells an answer that is cut off from a forge that cannot be reached', async () => {
    const api = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '9' });
      response.write('[', () => response.destroy());
    });
    await expect((await open(api)).list()).rejects.toThrow(
      `an answer of ${api} was cut off (UND_ERR_SOCKET)`,
    );
  });

  it.each([304, 999])('is refused where the status is no answer: %i', async (status) => {
    const api = await serve((_, response) => response.writeHead(status).end());
    await expect((await open(api)).list()).rejects.toThrow(
      `answered ${status}, which is no answer to this request`,
    );
  });

  it('gives the token neither to another host that a page names nor to one that a redirect names', async () => {
    const seen: unknown[] = [];
    const other = await serve((request, response) => {
      seen.push(request.headers.authorization);
      response.end('[]');
    });
    const paged = await serve((_, response) => {
      response.setHeader('link', `<${other}/next>; rel="next"`);
      response.setHeader('content-type', 'application/json').end('[]');
    });
    await expect((await open(paged)).list()).rejects.toThrow('is on another host');
    const redirecting = await serve((_, response) => response.writeHead(302, { location: other }).end());
    await expect((await open(redirecting)).list()).rejects.toThrow('redirects to another address (302)');
    expect(seen).toEqual([]);
  });

  it.each([
    ['a page of a proxy', 'text/html', '<html>login</html>'],
    ['an object', 'application/json', '{"values":1}'],
    ['broken JSON', 'application/json', '[{'],
  ])('is refused where it leads to something else: %s', async (_, type, text) => {
    const api = await serve((__, response) => response.setHeader('content-type', type).end(text));
    await expect((await open(api)).list()).rejects.toThrow('did not answer with a list of comments');
  });

  it('leads through a proxy', async () => {
    const api = await serve((_, response) =>
      response.setHeader('content-type', 'application/json').end('[]'),
    );
    const seen: unknown[] = [];
    const proxy = createServer();
    proxy.on('connect', (request, socket) => {
      seen.push([request.url, request.headers['proxy-authorization']]);
      const { hostname, port } = new URL(`http://${request.url ?? ''}`);
      const onward = connect(Number(port), hostname, () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        onward.pipe(socket).pipe(onward);
      });
      socket.on('error', () => onward.destroy());
      onward.on('error', () => socket.destroy());
    });
    const place = `127.0.0.1:${await listen(proxy)}`;
    expect(await (await open(api, { proxy: `http://bob:pass@${place}` })).list()).toEqual([]);
    const pass = `Basic ${Buffer.from('bob:pass').toString('base64')}`;
    expect(seen).toEqual([[new URL(api).host, pass]]);
    await (await open(api, { proxy: `http://${place}`, noProxy: '127.0.0.1' })).list();
    expect(seen).toHaveLength(1);
  });

  it('trusts the authority that it is given, and no other', async () => {
    const authority = await makeAuthority();
    const server = createTlsServer(await makeCertificate(authority), (_, response) =>
      response.setHeader('content-type', 'application/json').end('[]'),
    );
    const api = `https://127.0.0.1:${await listen(server)}`;
    expect(await (await open(api, { ca: authority.cert })).list()).toEqual([]);
    await expect((await open(api)).list()).rejects.toThrow(
      `${api} cannot be reached (UNABLE_TO_VERIFY_LEAF_SIGNATURE)`,
    );
  });
});
