import { afterEach, describe, expect, it } from 'vitest';
import { memoryGateway } from '../../src/emulator/memory.ts';
import { serveGateway, type Server, type ServerOptions } from '../../src/emulator/server.ts';
import type { Options } from '../../src/emulator/embedded-state.ts';
import type { JsonObject } from '../../src/model/json/json.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { resource } from '../support/kinds.ts';
import { checkExchange, upstreamCheck, type Exchange } from '../support/openapi-check.ts';

const servers: Server[] = [];
const exchanges: Exchange[] = [];
const describedBy = checkExchange(
  memoryGateway(catalog.kinds).handle('GET', '/gateway/v2/docs').body as JsonObject,
);
const upstream = upstreamCheck();

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
  const seen = exchanges.splice(0);
  expect(seen.flatMap(describedBy)).toEqual([]);
  expect(seen.flatMap(upstream ?? (() => []))).toEqual([]);
});

async function serve(options: Options = {}, more: Partial<ServerOptions> = {}): Promise<string> {
  const server = await serveGateway(memoryGateway(catalog.kinds, options), {
    port: 0,
    onExchange: (request, response) => exchanges.push({ request, response }),
    ...more,
  });
  servers.push(server);
  return server.url;
}

type Call = { readonly as?: string | undefined; readonly body?: unknown };
type Reply = { readonly status: number; readonly type: string | null; readonly body: unknown };

const admin = 'admin:conduktor';
async function call(url: string, method = 'GET', { as = admin, body }: Call = {}): Promise<Reply> {
  const response = await fetch(url, {
    method,
    headers: as === '' ? {} : { authorization: `Basic ${Buffer.from(as).toString('base64')}` },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const type = response.headers.get('content-type');
  return { status: response.status, type, body: type === 'application/json' ? JSON.parse(text) : text };
}

const prod = resource('VirtualCluster', { name: 'prod' });

describe('who may do what', () => {
  const users = [
    { username: 'admin', password: 'conduktor', admin: true },
    { username: 'reader', password: 'pass:word', admin: false },
  ];

  it.each(['', 'admin:wrong', 'ghost:conduktor', 'admin', ':', 'admin:conduktor '])(
    'lets nobody in as "%s"',
    async (as) => {
      const url = await serve();
      expect(await call(`${url}/gateway/v2/virtual-cluster`, 'GET', { as })).toEqual({
        status: 401,
        type: 'application/json',
        body: { title: 'The given credentials are not valid' },
      });
    },
  );

  it('asks for credentials in the way of Basic authentication', async () => {
    const response = await fetch(`${await serve()}/metrics`);
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Basic realm="gateway"');
  });

  it('lets a reader read and not write', async () => {
    const url = await serve({}, { users });
    const as = 'reader:pass:word';
    expect(await call(`${url}/gateway/v2/virtual-cluster`, 'GET', { as })).toMatchObject({ status: 200 });
    expect(await call(`${url}/gateway/v2/interceptor/resolve`, 'POST', { as, body: {} })).toMatchObject({
      status: 200,
    });
    const forbidden = {
      status: 403,
      body: { title: expect.any(String) as string, msg: expect.any(String) as string },
    };
    expect(await call(`${url}/gateway/v2/virtual-cluster`, 'PUT', { as, body: prod })).toMatchObject(
      forbidden,
    );
    expect(await call(`${url}/gateway/v2/virtual-cluster/prod`, 'DELETE', { as })).toMatchObject(forbidden);
    expect(await call(`${url}/gateway/v2/virtual-cluster`, 'GET', { as })).toMatchObject({ body: [] });
  });

  it('tells its health to everybody', async () => {
    const url = await serve();
    expect(await call(`${url}/health/ready`, 'GET', { as: '' })).toMatchObject({
      status: 200,
      body: 'READY',
    });
    expect(await call(`${url}/health/live`, 'GET', { as: '' })).toMatchObject({ status: 200 });
  });
});

describe('what is asked for in the wrong way', () => {
  const text = (status: number, body: string): Reply => ({ status, type: 'text/plain; charset=utf-8', body });

  it('is 404 where nothing is served', async () => {
    const url = await serve();
    for (const path of [
      '/',
      '/gateway/v2',
      '/gateway/v2/tokens',
      '/gateway/v2/virtual-cluster/',
      '/gateway/v2/group/a/b',
    ]) {
      expect(await call(url + path)).toEqual(text(404, `${path} is not served`));
    }
  });

  it('is 405 with a method that is not taken', async () => {
    const url = await serve();
    expect(await call(`${url}/gateway/v2/interceptor/guard`)).toMatchObject({ status: 405 });
    expect(await call(`${url}/gateway/v2/plugin`, 'PUT', { body: {} })).toMatchObject({ status: 405 });
    expect(await call(`${url}/gateway/v2/alias-topic`, 'POST', { body: {} })).toMatchObject({ status: 405 });
  });

  it.each(['{', '', 'kind: AliasTopic'])('is 400 with the body "%s"', async (body) => {
    const url = await serve();
    expect(await call(`${url}/gateway/v2/alias-topic`, 'PUT', { body })).toEqual(
      text(400, 'Invalid value for: body'),
    );
  });

  it.each(['[]', '1', 'null', '{}', '{"kind":"AliasTopic"}'])('is 400 with the body %s', async (body) => {
    const url = await serve();
    expect(await call(`${url}/gateway/v2/alias-topic`, 'PUT', { body })).toMatchObject({
      status: 400,
      body: { title: 'The request is not valid' },
    });
  });

  it.each(['[]', '{}', '{"name":1}', ''])('is 400 to delete %s', async (body) => {
    const url = await serve();
    expect(await call(`${url}/gateway/v2/alias-topic`, 'DELETE', { body })).toMatchObject({ status: 400 });
  });

  it('is 400 with another resource than belongs there', async () => {
    const url = await serve();
    expect(await call(`${url}/gateway/v2/alias-topic`, 'PUT', { body: prod })).toMatchObject({ status: 400 });
    const old = { ...prod, apiVersion: 'v1' };
    expect(await call(`${url}/gateway/v2/virtual-cluster`, 'PUT', { body: old })).toMatchObject({
      status: 400,
    });
  });

  it('is 400 with a parameter that is neither true nor false', async () => {
    const url = await serve();
    const wrong = (parameter: string): Reply => text(400, `Invalid value for: query parameter ${parameter}`);
    expect(await call(`${url}/gateway/v2/group?showDefaults=maybe`)).toEqual(wrong('showDefaults'));
    expect(await call(`${url}/gateway/v2/interceptor?global=1`)).toEqual(wrong('global'));
    expect(await call(`${url}/gateway/v2/virtual-cluster?dryMode=`, 'PUT', { body: prod })).toEqual(
      wrong('dryMode'),
    );
  });

  it('is 400 with a name that is not percent-encoded', async () => {
    const url = await serve();
    expect(await call(`${url}/gateway/v2/group/%E0%A4%A`)).toMatchObject({ status: 400 });
  });

  it('is 413 with more than ten megabytes', async () => {
    const url = await serve();
    const body = JSON.stringify({ ...prod, padding: 'x'.repeat(10 * 1024 * 1024) });
    expect(await call(`${url}/gateway/v2/virtual-cluster`, 'PUT', { body })).toMatchObject({ status: 413 });
    expect(await call(`${url}/gateway/v2/virtual-cluster`)).toMatchObject({ status: 200, body: [] });
  });
});

describe('deletes', () => {
  const spec = { pluginClass: 'org.example.Custom', priority: 1, config: {} };

  it('take an identity as a body', async () => {
    const url = `${await serve()}/gateway/v2/alias-topic`;
    const body = resource('AliasTopic', { name: 'orders' }, { physicalName: 'x' });
    await call(url, 'PUT', { body });
    expect(await call(url, 'DELETE', { body: { name: 'orders', vCluster: 'passthrough' } })).toMatchObject({
      status: 204,
    });
    await call(url, 'PUT', { body });
    expect(await call(url, 'DELETE', { body: { name: 'orders', vCluster: null } })).toMatchObject({
      status: 204,
    });
    expect(await call(url, 'DELETE', { body: { name: 'orders' } })).toMatchObject({
      status: 404,
      body: { title: 'The given name does not exist in the given virtual cluster' },
    });
  });

  it('take a scope as a body, and no body for passthrough', async () => {
    const url = `${await serve()}/gateway/v2/interceptor`;
    const name = 'a/b c';
    const path = `${url}/${encodeURIComponent(name)}`;
    for (const scope of [{}, { vCluster: null }, { username: 'me' }]) {
      await call(url, 'PUT', { body: resource('Interceptor', { name, scope }, spec) });
    }
    expect(await call(path, 'DELETE', { body: { username: 'me' } })).toMatchObject({ status: 204 });
    expect(await call(path, 'DELETE')).toMatchObject({ status: 204 });
    expect(await call(path, 'DELETE')).toMatchObject({
      status: 404,
      body: { title: 'The given interceptor does not exist' },
    });
    const everybody = { vCluster: null, group: null, username: null };
    expect(await call(path, 'DELETE', { body: everybody })).toMatchObject({ status: 204 });
  });
});

it('answers with the titles of the vendor', async () => {
  const url = `${await serve()}/gateway/v2`;
  const titleOf = async (path: string, method: string, body?: unknown): Promise<unknown> => {
    const reply = await call(url + path, method, { body });
    return [reply.status, (reply.body as { title?: unknown }).title];
  };
  const passthrough = resource('VirtualCluster', { name: 'passthrough' });
  const ghosts = resource('GatewayGroup', { name: 'ghosts' }, { members: [{ name: 'ghost' }] });
  const nowhere = resource('GatewayServiceAccount', { name: 'app', vCluster: 'nowhere' }, { type: 'LOCAL' });
  expect(await titleOf('/virtual-cluster', 'PUT', passthrough)).toEqual([
    400,
    'Wrong format or usage of reserved keywords (e.g. passthrough)',
  ]);
  expect(await titleOf('/virtual-cluster/passthrough', 'DELETE')).toEqual([
    400,
    'Default `passthrough` virtual cluster cannot be deleted',
  ]);
  expect(await titleOf('/virtual-cluster/ghost', 'GET')).toEqual([
    404,
    'The given virtual cluster does not exist',
  ]);
  expect(await titleOf('/virtual-cluster/ghost', 'DELETE')).toEqual([
    404,
    'The given virtual cluster does not exist',
  ]);
  expect(await titleOf('/group', 'PUT', ghosts)).toEqual([
    404,
    'The group contains a service account that does not exist',
  ]);
  expect(await titleOf('/group/ghosts', 'GET')).toEqual([404, 'The given group does not exist']);
  expect(await titleOf('/service-account', 'PUT', nowhere)).toEqual([
    404,
    'The given service account references a non-existing virtual cluster',
  ]);
  expect(await titleOf('/service-account', 'DELETE', { name: 'ghost' })).toEqual([
    404,
    'The given service account does not exist',
  ]);
});

it('serves a description of itself', async () => {
  const url = await serve({ version: '3.15.0' });
  expect(await call(`${url}/gateway/v2/docs`)).toMatchObject({
    status: 200,
    body: { openapi: '3.1.0', info: { version: '3.15.0' } },
  });
});

it('answers a write after what was written is safe', async () => {
  const order: string[] = [];
  const url = await serve(
    {},
    {
      saved: () => {
        order.push('saved');
        return Promise.resolve();
      },
      onExchange: (_, { status }) => order.push(`${status}`),
    },
  );
  await call(`${url}/gateway/v2/virtual-cluster`, 'PUT', { body: prod });
  await call(`${url}/gateway/v2/virtual-cluster`, 'PUT', { body: {} });
  await call(`${url}/gateway/v2/virtual-cluster`);
  expect(order).toEqual(['saved', '200', '400', '200']);
});

it('answers 500 when what was written cannot be made safe', async () => {
  const url = await serve({}, { saved: () => Promise.reject(new Error('disk full')) });
  expect(await call(`${url}/gateway/v2/virtual-cluster`, 'PUT', { body: prod })).toMatchObject({
    status: 500,
    body: { title: 'An unexpected error occurred in the server', msg: 'disk full' },
  });
});

it('ends open connections when it is closed', async () => {
  const server = await serveGateway(memoryGateway(catalog.kinds), { port: 0 });
  await call(`${server.url}/gateway/v2/group`); // kept alive by the client
  await server.close();
  await expect(call(`${server.url}/gateway/v2/group`)).rejects.toThrow();
});

it('rejects when it cannot listen', async () => {
  const url = await serve();
  const port = Number(new URL(url).port);
  await expect(serveGateway(memoryGateway(catalog.kinds), { port })).rejects.toMatchObject({
    code: 'EADDRINUSE',
  });
});
