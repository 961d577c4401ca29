import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { memoryGateway, type EmbeddedGateway } from '../../src/emulator/memory.ts';
import { makeSigner } from '../../src/emulator/signer.ts';
import type { Options } from '../../src/emulator/embedded-state.ts';
import type { JsonObject } from '../../src/model/json/json.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { resource } from '../support/kinds.ts';

function gatewayWith(
  options: Options,
  ...resources: readonly ReturnType<typeof resource>[]
): EmbeddedGateway {
  const gateway = memoryGateway(catalog.kinds, options);
  for (const one of resources) {
    const { collection } = catalog.kinds.get(one.kind) ?? { collection: '' };
    expect(gateway.handle('PUT', collection, one)).toMatchObject({ status: 200 });
  }
  return gateway;
}

const prod = resource('VirtualCluster', { name: 'prod' });
const local = resource('GatewayServiceAccount', { name: 'jdoe', vCluster: 'prod' }, { type: 'LOCAL' });
const external = resource(
  'GatewayServiceAccount',
  { name: 'oidc' },
  { type: 'EXTERNAL', externalNames: ['sub'] },
);

describe('a token', () => {
  const userPool = { now: () => 1_000_999, sign: makeSigner('secret') };
  const ask = (body: JsonObject, options: Options = { userPool }) =>
    gatewayWith(options, prod, local, external).handle('POST', '/gateway/v2/token', body);

  it('is a JWT that says who, where and until when', () => {
    const { status, body } = ask({ vCluster: 'prod', username: 'jdoe', lifeTimeSeconds: 3600 });
    expect(status).toBe(200);
    const [header = '', payload = '', signature] = (body as { token: string }).token.split('.');
    const decode = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString());
    expect(decode(header)).toEqual({ alg: 'HS256' });
    expect(decode(payload)).toEqual({ username: 'jdoe', vcluster: 'prod', exp: 4600 });
    expect(signature).toBe(createHmac('sha256', 'secret').update(`${header}.${payload}`).digest('base64url'));
  });

  it('is not made for an account that is not there', () => {
    expect(ask({ username: 'jdoe', lifeTimeSeconds: 1 })).toMatchObject({
      status: 404,
      body: { title: 'The searched entity was not found', msg: expect.stringContaining('jdoe') as string },
    });
  });

  it('is not made for a virtual cluster that is not there', () => {
    expect(ask({ vCluster: 'nowhere', username: 'jdoe', lifeTimeSeconds: 1 }).status).toBe(404);
  });

  it('is not made for an EXTERNAL account', () => {
    expect(ask({ username: 'oidc', lifeTimeSeconds: 1 })).toMatchObject({
      status: 409,
      body: { title: expect.stringContaining('external service account') as string },
    });
  });

  it('is not made without a user pool', () => {
    expect(ask({ vCluster: 'prod', username: 'jdoe', lifeTimeSeconds: 1 }, {}).status).toBe(409);
  });

  it.each([
    {},
    { username: 'jdoe' },
    { username: 1, lifeTimeSeconds: 1 },
    { username: 'jdoe', lifeTimeSeconds: 1.5 },
  ])('is not made of %j', (body) =>
    expect(ask(body)).toEqual({ status: 400, text: 'Invalid value for: body' }),
  );
});

describe('which interceptors run for a client', () => {
  const everybody = { vCluster: null, group: null, username: null };
  const interceptor = (name: string, priority: number, scope?: JsonObject) =>
    resource('Interceptor', scope === undefined ? { name } : { name, scope }, {
      pluginClass: 'org.example.Custom',
      priority,
      config: {},
    });
  const groups = ['readers', 'writers'].map((name) => resource('GatewayGroup', { name }));
  const resolved = (
    body: JsonObject,
    ...interceptors: readonly ReturnType<typeof resource>[]
  ): readonly string[] => {
    const { body: found } = gatewayWith({}, prod, ...groups, ...interceptors).handle(
      'POST',
      '/gateway/v2/interceptor/resolve',
      body,
    );
    return (found as unknown as { metadata: { name: string }; spec: { priority: number } }[]).map(
      ({ metadata, spec }) => `${metadata.name} ${spec.priority}`,
    );
  };

  it('runs those of different names by priority', () => {
    expect(resolved({}, interceptor('late', 20), interceptor('early', 10, everybody))).toEqual([
      'early 10',
      'late 20',
    ]);
  });

  it('runs, of those of one name, the most specific one', () => {
    const all = [
      interceptor('limit', 1, everybody),
      interceptor('limit', 2),
      interceptor('limit', 3, { group: 'readers' }),
      interceptor('limit', 4, { username: 'admin' }),
    ];
    expect(resolved({ username: 'admin', groups: ['readers'] }, ...all)).toEqual(['limit 4']);
    expect(resolved({ username: 'other', groups: ['readers'] }, ...all)).toEqual(['limit 3']);
    expect(resolved({ username: 'other' }, ...all)).toEqual(['limit 2']);
    expect(resolved({ vCluster: 'prod', username: 'admin' }, ...all)).toEqual(['limit 1']);
  });

  it('runs those of all the groups that a client is in', () => {
    const both = [
      interceptor('limit', 2, { group: 'writers' }),
      interceptor('limit', 1, { group: 'readers' }),
    ];
    expect(resolved({ groups: ['readers', 'writers'] }, ...both)).toEqual(['limit 1', 'limit 2']);
  });

  it('crosses from one virtual cluster to another only for everybody', () => {
    const all = [
      interceptor('here', 1, { vCluster: 'prod' }),
      interceptor('there', 2),
      interceptor('any', 3, everybody),
    ];
    expect(resolved({ vCluster: 'prod' }, ...all)).toEqual(['here 1', 'any 3']);
  });
});

describe('a gateway on PLAINTEXT', () => {
  const gateway = memoryGateway(catalog.kinds, { security: 'PLAINTEXT' });

  it.each([
    ['GET', '/gateway/v2/virtual-cluster', undefined],
    ['GET', '/gateway/v2/virtual-cluster/prod', undefined],
    ['PUT', '/gateway/v2/virtual-cluster', prod],
  ])('has no virtual clusters: %s %s', (method, url, body) => {
    expect(gateway.handle(method, url, body)).toEqual({
      status: 400,
      body: { title: 'Virtual cluster is not supported on security protocol PLAINTEXT' },
    });
  });

  it.each([
    ['GET', undefined],
    ['PUT', local],
    ['DELETE', { name: 'jdoe' }],
  ])('has no service accounts: %s', (method, body) => {
    expect(gateway.handle(method, '/gateway/v2/service-account', body)).toEqual({
      status: 400,
      body: { title: 'Gateway service account is not supported on security protocol PLAINTEXT.' },
    });
  });

  it('has everything else', () => {
    const spec = { physicalName: 'orders-v3' };
    expect(
      gateway.handle('PUT', '/gateway/v2/alias-topic', resource('AliasTopic', { name: 'orders' }, spec))
        .status,
    ).toBe(200);
  });
});

it('counts what it holds', () => {
  const gateway = gatewayWith(
    {},
    prod,
    local,
    external,
    resource('AliasTopic', { name: 'a' }, { physicalName: 'b' }),
  );
  expect(gateway.handle('GET', '/gateway/v2/analytics/lived').body).toMatchObject({
    totalVirtualClusters: 1,
    totalGatewayServiceAccounts: 2,
    totalAliasTopics: 1,
    totalInterceptorInstances: 0,
    gatewayVersion: '3.21.0',
  });
  expect(gateway.handle('GET', '/metrics').text).toContain('gateway_resources{kind="AliasTopic"} 1');
});
