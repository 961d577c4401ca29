import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/model/json/json.ts';
import { resource } from '../support/kinds.ts';
import { v1Gateway } from '../support/v1.ts';

const policy = {
  pluginClass: 'io.conduktor.gateway.interceptor.safeguard.ReadOnlyTopicPolicyPlugin',
  priority: 10,
  config: { topic: 'audit-.*', action: 'BLOCK' },
};
const put = (kind: string, metadata: Json, spec: Json = {}) => resource(kind, metadata, spec) as Json;
const prod = put('VirtualCluster', { name: 'prod' });
const message = (text: string) => ({ message: text });

describe('v1', () => {
  it.each(['/admin/userMappings/v1', '/admin/vclusters/v1', '/admin/interceptors/v1', '/admin/plugins/v1'])(
    '%s is there below 3.21.0 and 404 from there on',
    (path) => {
      const statuses = ['3.0.0', '3.20.9', '3.21.0'].map(
        (version) => v1Gateway(version)(`GET ${path}`).status,
      );
      expect(statuses).toEqual([200, 200, 404]);
    },
  );
});

describe('a user mapping', () => {
  it('is an EXTERNAL account with its groups merged, and back', () => {
    const call = v1Gateway('3.20.0');
    call('PUT /gateway/v2/virtual-cluster', prod);
    const alice = { username: 'alice', principal: 'sub-1', groups: ['readers', 'writers'] };
    expect(call('POST /admin/userMappings/v1/vcluster/prod', alice)).toEqual({
      status: 201,
      body: message('User mapping is created'),
    });
    call('POST /admin/userMappings/v1', { username: 'bob-1', groups: ['readers'] });
    expect(call('GET /gateway/v2/service-account').body).toMatchObject([
      {
        metadata: { name: 'alice', vCluster: 'prod' },
        spec: { type: 'EXTERNAL', externalNames: ['sub-1'] },
      },
      { metadata: { name: 'bob-1' }, spec: { type: 'EXTERNAL', externalNames: ['bob-1'] } },
    ]);
    expect(call('GET /gateway/v2/group').body).toMatchObject([
      {
        metadata: { name: 'readers' },
        spec: { members: [{ name: 'alice', vCluster: 'prod' }, { name: 'bob-1' }] },
      },
      { metadata: { name: 'writers' }, spec: { members: [{ name: 'alice', vCluster: 'prod' }] } },
    ]);
    const one = '/admin/userMappings/v1/vcluster/prod/username/alice';
    expect(call(`GET ${one}`)).toEqual({ status: 200, body: { vcluster: 'prod', ...alice } });
    expect(call(`PUT ${one}`, { username: 'alice', groups: ['writers'] })).toEqual({ status: 204 });
    expect(call(`GET ${one}`).body).toMatchObject({ principal: 'alice', groups: ['writers'] });
    expect(call(`DELETE ${one}`)).toEqual({ status: 204 });
    expect(call(`GET ${one}`).status).toBe(404);
    expect(call('GET /admin/userMappings/v1').body).toEqual(['bob-1']);
    expect(call('GET /gateway/v2/group/writers').body).toMatchObject({ spec: { members: [] } });
  });

  it('may have a name that v2 shows and refuses', () => {
    const call = v1Gateway('3.20.0');
    expect(call('POST /admin/userMappings/v1', { username: 'CN=app,O=x', groups: ['a.b'] }).status).toBe(201);
    const [account] = call('GET /gateway/v2/service-account').body as readonly Json[];
    expect(account).toMatchObject({ metadata: { name: 'CN=app,O=x' } });
    expect(call('PUT /gateway/v2/service-account', account).status).toBe(400);
    expect(call('GET /admin/userMappings/v1/username/CN%3Dapp%2CO%3Dx').body).toEqual({
      vcluster: 'passthrough',
      username: 'CN=app,O=x',
      principal: 'CN=app,O=x',
      groups: ['a.b'],
    });
  });

  it('that v2 made is shown, and a LOCAL account is none', () => {
    const call = v1Gateway('3.20.0');
    call(
      'PUT /gateway/v2/service-account',
      put('GatewayServiceAccount', { name: 'local' }, { type: 'LOCAL' }),
    );
    const spec = { type: 'EXTERNAL', externalNames: ['sub'] };
    call('PUT /gateway/v2/service-account', put('GatewayServiceAccount', { name: 'carol' }, spec));
    expect(call('GET /admin/userMappings/v1').body).toEqual(['carol']);
    expect(call('GET /admin/userMappings/v1/username/local').status).toBe(404);
  });

  it.each([
    undefined,
    null,
    [],
    {},
    { username: 1 },
    { username: 'a', groups: 'b' },
    { username: 'a', groups: [1] },
  ])('is not made of %j', (body) => {
    expect(v1Gateway('3.20.0')('POST /admin/userMappings/v1', body)).toMatchObject({ status: 400 });
  });
});

describe('what is mentioned', () => {
  it('exists until its last mention before 3.2.0', () => {
    const call = v1Gateway('3.0.0');
    const clusters = () => call('GET /admin/vclusters/v1').body;
    call('POST /admin/vclusters/v1/vcluster/a/topics/t', {
      physicalTopicName: 't',
      readOnly: false,
      type: 'alias',
    });
    call('POST /admin/interceptors/v1/vcluster/b/group/g/interceptor/i', policy);
    expect(clusters()).toEqual({ vclusters: ['a', 'b'] });
    call('DELETE /admin/vclusters/v1/vcluster/a/topics');
    expect(clusters()).toEqual({ vclusters: ['b'] });
    call('DELETE /admin/interceptors/v1/vcluster/b/group/g/interceptor/i');
    expect(clusters()).toEqual({ vclusters: [] });
  });

  it('stays in 3.2, and must be there first from 3.3.0 on', () => {
    const rule = { pattern: 'a.*', physicalTopicName: 'all' };
    const two = v1Gateway('3.2.0');
    expect(two('POST /admin/vclusters/v1/vcluster/a/concentration-rules', rule).status).toBe(201);
    two('DELETE /admin/vclusters/v1/vcluster/a/concentration-rules');
    expect(two('GET /admin/vclusters/v1').body).toEqual({ vclusters: ['a'] });
    const three = v1Gateway('3.3.0');
    expect(three('POST /admin/vclusters/v1/vcluster/a/concentration-rules', rule).status).toBe(404);
    expect(three('POST /admin/userMappings/v1/vcluster/a', { username: 'alice' }).status).toBe(404);
    expect(three('POST /admin/vclusters/v1/vcluster/a/username/u', { lifeTimeSeconds: 1 }).status).toBe(404);
  });

  it('does not come to be by a call that is refused', () => {
    const call = v1Gateway('3.0.0');
    const bad = { ...policy, pluginClass: 'io.conduktor.gateway.interceptor.NoSuchPlugin' };
    expect(call('POST /admin/interceptors/v1/vcluster/a/group/g/interceptor/i', bad).status).toBe(400);
    expect(call('GET /admin/vclusters/v1').body).toEqual({ vclusters: [] });
  });
});

describe('a token', () => {
  it('is issued for a LOCAL account that comes to be with it', () => {
    const call = v1Gateway('3.20.0');
    call('PUT /gateway/v2/virtual-cluster', prod);
    for (const [path, vcluster] of [
      ['/admin/username/sa-1', 'passthrough'],
      ['/admin/vclusters/v1/vcluster/prod/username/sa-1', 'prod'],
    ]) {
      const { status, body } = call(`POST ${path}`, { lifeTimeSeconds: 60 });
      const [, claims = ''] = (body as { token: string }).token.split('.');
      expect([status, JSON.parse(Buffer.from(claims, 'base64url').toString())]).toEqual([
        201,
        { username: 'sa-1', vcluster, exp: 1_700_000_060 },
      ]);
    }
    expect(call('GET /gateway/v2/service-account?type=local').body).toHaveLength(2);
    expect(call('GET /admin/vclusters/v1').body).toEqual({ vclusters: ['prod'] });
  });

  it('is issued for a user mapping, too', () => {
    const call = v1Gateway('3.20.0');
    call('POST /admin/userMappings/v1', { username: 'alice' });
    expect(call('POST /admin/username/alice', { lifeTimeSeconds: 60 }).status).toBe(201);
    expect(call('GET /admin/userMappings/v1').body).toEqual(['alice']);
  });
});

describe('a topic mapping', () => {
  const path = '/admin/vclusters/v1/vcluster/prod/topics';
  const orders = { physicalTopicName: 'orders-v1', readOnly: true, type: 'Alias' };
  const shown = {
    logicalTopicName: 'orders',
    clusterId: 'main',
    physicalTopicName: 'orders-v1',
    readOnly: true,
    type: 'ALIAS',
  };

  it('is an alias topic or a concentrated one', () => {
    const call = v1Gateway('3.20.0');
    call('PUT /gateway/v2/virtual-cluster', prod);
    expect(call(`GET ${path}`).status).toBe(404);
    expect(call(`POST ${path}/orders`, orders)).toEqual({ status: 201, body: shown });
    const clicks = { physicalTopicName: 'all', readOnly: false, type: 'concentrated' };
    expect(call(`POST ${path}/clicks`, clicks)).toMatchObject({
      status: 201,
      body: { type: 'CONCENTRATED' },
    });
    expect(call('GET /gateway/v2/alias-topic').body).toMatchObject([
      { metadata: { name: 'orders', vCluster: 'prod' }, spec: { physicalName: 'orders-v1' } },
    ]);
    expect(call('GET /gateway/v2/alias-topic').body).not.toHaveProperty('0.spec.readOnly');
    expect(call('GET /gateway/v2/concentrated-topic').body).toMatchObject([{ metadata: { name: 'clicks' } }]);
    expect(call(`GET ${path}`).body).toHaveLength(2);
    expect(call(`POST ${path}/orders`, { ...orders, physicalTopicName: 'other' })).toEqual({
      status: 409,
      body: message("You can't update the physicalTopicName for an existing topic mapping."),
    });
    expect(call(`DELETE ${path}/orders`)).toEqual({ status: 204 });
    expect(call(`DELETE ${path}/orders`).status).toBe(404);
    expect(call(`DELETE ${path}`)).toEqual({ status: 204 });
    expect(call(`GET ${path}`).status).toBe(404);
  });

  it('keeps readOnly when v2 changes it', () => {
    const call = v1Gateway('3.20.0');
    call('PUT /gateway/v2/virtual-cluster', prod);
    call(`POST ${path}/orders`, orders);
    const alias = put('AliasTopic', { name: 'orders', vCluster: 'prod' }, { physicalName: 'orders-v2' });
    call('PUT /gateway/v2/alias-topic', alias);
    expect(call(`GET ${path}`).body).toEqual([{ ...shown, physicalTopicName: 'orders-v2' }]);
  });

  it('needs a physical topic that is there', () => {
    const call = v1Gateway('3.1.0', { topics: new Map([['orders-v1', 'delete']]) });
    expect(call(`POST ${path}/orders`, orders).status).toBe(201);
    expect(call(`POST ${path}/others`, { ...orders, physicalTopicName: 'realTopic' })).toEqual({
      status: 400,
      body: message('Physical topic named realTopic does not exist in your kafka cluster'),
    });
  });

  it('of 2.x says whether it is concentrated, and interceptors have any class', () => {
    const call = v1Gateway('2.6.0');
    const topic = { physicalTopicName: 'all', readOnly: false, concentrated: true };
    expect(call(`POST ${path}/clicks`, topic)).toMatchObject({ status: 201, body: { type: 'CONCENTRATED' } });
    expect(call(`POST ${path}/orders`, orders).status).toBe(400);
    const pluginClass = 'io.conduktor.gateway.interceptor.DataQualityProducerPlugin';
    expect(call('POST /admin/interceptors/v1/interceptor/i', { ...policy, pluginClass }).status).toBe(201);
  });

  it('of the internal API is on any configured cluster', () => {
    const call = v1Gateway('3.0.0', { physicalClusters: ['main', 'eu'] });
    const body = { clusterId: 'eu', physicalTopicName: 'cars' };
    expect(call('POST /internal/alias-topic/prod/eu_cars', body)).toEqual({
      status: 201,
      body: message('eu_cars is created'),
    });
    expect(call(`GET ${path}`).body).toMatchObject([{ clusterId: 'eu', readOnly: false }]);
    expect(call('POST /internal/alias-topic/prod/us_cars', { ...body, clusterId: 'us' }).status).toBe(400);
  });
});

describe('a concentration rule', () => {
  const path = '/admin/vclusters/v1/vcluster/prod/concentration-rules';
  const rule = { pattern: 'a-.*', physicalTopicName: 'd', physicalTopicCompactedName: 'c' };

  it('has its pattern for a key in v1, and a name in v2', () => {
    const call = v1Gateway('3.20.0');
    call('PUT /gateway/v2/virtual-cluster', prod);
    const own = put(
      'ConcentrationRule',
      { name: 'own', vCluster: 'prod' },
      { pattern: 'o.*', physicalTopics: { delete: 'o' } },
    );
    call('PUT /gateway/v2/concentration-rule', own);
    expect(call(`POST ${path}`, rule)).toEqual({
      status: 201,
      body: { clusterId: 'main', pattern: 'a-.*', physicalTopicName: 'd' },
    });
    call(`POST ${path}`, { ...rule, physicalTopicName: 'e', autoManaged: true });
    expect(call(`GET ${path}`).body).toEqual([
      { clusterId: 'main', pattern: 'o.*', physicalTopicName: 'o' },
      { clusterId: 'main', ...rule, physicalTopicName: 'e', autoManaged: true },
    ]);
    expect(call('GET /gateway/v2/concentration-rule').body).toMatchObject([
      { metadata: { name: 'own' } },
      {
        metadata: { name: 'a-.*' },
        spec: { pattern: 'a-.*', physicalTopics: { delete: 'e', compact: 'c' } },
      },
    ]);
    expect(call(`DELETE ${path}?pattern=none`).status).toBe(404);
    expect(call(`DELETE ${path}?pattern=o.*`).status).toBe(204);
    expect(call('GET /gateway/v2/concentration-rule').body).toHaveLength(1);
    expect(call(`DELETE ${path}`).status).toBe(204);
  });

  it('gets another name when v2 has taken its own', () => {
    const call = v1Gateway('3.20.0');
    const spec = { pattern: 'b', physicalTopics: { delete: 'o' } };
    call('PUT /gateway/v2/concentration-rule', put('ConcentrationRule', { name: 'a' }, spec));
    const passthrough = path.replace('prod', 'passthrough');
    expect(call(`POST ${passthrough}`, { pattern: 'a', physicalTopicName: 'x' }).status).toBe(201);
    expect(call('GET /gateway/v2/concentration-rule').body).toMatchObject([
      { metadata: { name: 'a' }, spec: { pattern: 'b' } },
      { metadata: { name: 'a-2' }, spec: { pattern: 'a' } },
    ]);
  });
});

describe('an interceptor', () => {
  const root = '/admin/interceptors/v1';
  const scopes: readonly (readonly [string, Json])[] = [
    ['', { vCluster: 'passthrough', group: null, username: null }],
    ['/global', { vCluster: null, group: null, username: null }],
    ['/username/u', { vCluster: 'passthrough', group: null, username: 'u' }],
    ['/group/g', { vCluster: 'passthrough', group: 'g', username: null }],
    ['/vcluster/prod', { vCluster: 'prod', group: null, username: null }],
    ['/vcluster/prod/username/u', { vCluster: 'prod', group: null, username: 'u' }],
    ['/vcluster/prod/group/g', { vCluster: 'prod', group: 'g', username: null }],
  ];
  const make = () => {
    const call = v1Gateway('3.20.0');
    call('PUT /gateway/v2/virtual-cluster', prod);
    call('PUT /gateway/v2/group', put('GatewayGroup', { name: 'g' }));
    return call;
  };

  it.each(scopes)('of prefix %j has the scope %j', (prefix, scope) => {
    const call = make();
    const one = `${root}${prefix}/interceptor/guard`;
    expect(call(`POST ${one}`, policy)).toEqual({ status: 201, body: message('guard is created') });
    expect(call(`POST ${one}`, policy)).toEqual({
      status: 409,
      body: message('interceptorName for cluster must be unique.'),
    });
    expect(call('GET /gateway/v2/interceptor').body).toMatchObject([{ metadata: { name: 'guard', scope } }]);
    expect(call(`PUT ${one}`, { ...policy, priority: 20 })).toEqual({
      status: 200,
      body: message('guard is updated'),
    });
    expect(call(`GET ${one}`)).toEqual({ status: 200, body: { name: 'guard', ...policy, priority: 20 } });
    const item = { name: 'guard', ...policy, priority: 20, timeoutMs: 2 ** 63 };
    expect(call(`GET ${root}${prefix}`)).toEqual({ status: 200, body: { interceptors: [item] } });
    expect(call(`DELETE ${one}`)).toEqual({ status: 204 });
    expect([call(`DELETE ${one}`).status, call(`GET ${one}`).status]).toEqual([404, 404]);
    expect(call(`PUT ${one}`, policy).status).toBe(200);
  });

  it('is listed with its scope', () => {
    const call = make();
    for (const [prefix] of scopes) call(`POST ${root}${prefix}/interceptor/i`, policy);
    const other = { pluginClass: 'org.example.Custom', priority: 1, config: {} };
    call(`POST ${root}/interceptor/other`, other);
    const all = [
      { vcluster: 'passthrough' },
      {},
      { vcluster: 'passthrough', username: 'u' },
      { vcluster: 'passthrough', group: 'g' },
      { vcluster: 'prod' },
      { vcluster: 'prod', username: 'u' },
      { vcluster: 'prod', group: 'g' },
    ].map((scope) => ({ ...scope, name: 'i', ...policy }));
    const last = { vcluster: 'passthrough', name: 'other', ...other };
    for (const path of ['/all', '/interceptors']) {
      expect(call(`GET ${root}${path}`)).toEqual({ status: 200, body: { interceptors: [...all, last] } });
      expect(call(`GET ${root}${path}?pluginClass=org.example.Custom`).body).toEqual({
        interceptors: [last],
      });
    }
    for (const prefix of ['/vcluster/prod', '/vcluster/prod/username/u']) {
      expect(call(`GET ${root}${prefix}/interceptors`)).toEqual(call(`GET ${root}${prefix}`));
    }
  });

  it('is resolved as v2 does', () => {
    const call = make();
    call(`POST ${root}/global/interceptor/i`, policy);
    call(`POST ${root}/vcluster/prod/username/u/interceptor/i`, { ...policy, priority: 3 });
    expect(call(`POST ${root}/resolve`, { vcluster: 'prod', username: 'u', groups: ['g'] })).toEqual({
      status: 200,
      body: [{ configName: 'i', scope: 'USERNAME', vcluster: 'prod', username: 'u', ...policy, priority: 3 }],
    });
    expect(call(`POST ${root}/resolve`, {}).body).toMatchObject([{ scope: 'GLOBAL', priority: 10 }]);
  });

  it('of an unknown virtual cluster or group is refused', () => {
    const call = make();
    const one = `${root}/vcluster/none/interceptor/i`;
    expect([call(`POST ${one}`, policy).status, call(`PUT ${one}`, policy).status]).toEqual([400, 404]);
    expect(call(`GET ${root}/vcluster/none`).status).toBe(404);
    expect(call(`POST ${root}/group/none/interceptor/i`, policy).status).toBe(400);
  });

  it('keeps the comment of v2', () => {
    const call = make();
    const spec = { ...policy, comment: 'Ask the audit team' };
    call('PUT /gateway/v2/interceptor', put('Interceptor', { name: 'i' }, spec));
    call(`PUT ${root}/interceptor/i`, { ...policy, priority: 11 });
    expect(call('GET /gateway/v2/interceptor').body).toMatchObject([{ spec: { ...spec, priority: 11 } }]);
  });
});

it('lists plugins by class, and with readme and tags', () => {
  const call = v1Gateway('3.20.0', { plugins: ['org.example.Custom'] });
  const { plugins } = call('GET /admin/plugins/v1').body as { plugins: readonly string[] };
  expect(plugins.at(-1)).toBe('org.example.Custom');
  const extended = call('GET /admin/plugins/v1/extended').body as { plugins: readonly Json[] };
  expect(extended.plugins).toHaveLength(plugins.length);
  expect(extended.plugins.at(-1)).toEqual({
    plugin: 'org.example.Custom',
    pluginId: 'Custom',
    tags: { title: 'Custom', description: 'A plugin of your own.', license: 'free' },
    readme: '# Custom\n\nA plugin of your own.\n',
  });
});

it('switches the cluster of this instance', () => {
  const call = v1Gateway('3.20.0', { physicalClusters: ['main', 'failover'] });
  const main = '/admin/pclusters/v1/pcluster/main';
  const before = call(`GET ${main}`);
  expect(call(`POST ${main}/switch?to=failover`)).toEqual({ status: 200, body: message('Cluster switched') });
  expect(call(`GET ${main}`)).toEqual(call('GET /admin/pclusters/v1/pcluster/failover'));
  call(`POST ${main}/switch?to=main`);
  expect(call(`GET ${main}`)).toEqual(before);
  const refused = [
    `POST ${main}/switch?to=none`,
    `POST ${main}/switch`,
    'GET /admin/pclusters/v1/pcluster/none',
  ];
  expect(refused.map((one) => call(one).status)).toEqual([400, 400, 400]);
});
