import { describe, expect, it } from 'vitest';
import { memoryGateway, type EmbeddedGateway } from '../../src/emulator/memory.ts';
import type { Options } from '../../src/emulator/embedded-state.ts';
import type { Json, JsonObject } from '../../src/model/json/json.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { resource } from '../support/kinds.ts';

const paths: Readonly<Record<string, string>> = Object.fromEntries(
  [...catalog.kinds.values()].map(({ name, collection }) => [name, collection]),
);

type Talk = { readonly gateway: EmbeddedGateway; readonly put: Put; readonly get: (url: string) => Json };
type Put = (kind: string, metadata: JsonObject & { name: string }, spec: JsonObject) => JsonObject;

/** A gateway that is spoken to in the API's own shapes; every answer must be 200. */
function talk(options: Options = {}): Talk {
  const gateway = memoryGateway(catalog.kinds, options);
  const body = (method: string, url: string, sent?: Json): Json => {
    const answer = gateway.handle(method, url, sent);
    expect(answer).toMatchObject({ status: 200 });
    return answer.body ?? null;
  };
  return {
    gateway,
    put: (kind, metadata, spec) =>
      body('PUT', paths[kind] ?? '', resource(kind, metadata, spec)) as JsonObject,
    get: (url) => body('GET', url),
  };
}

const policy = 'io.conduktor.gateway.interceptor.safeguard.ReadOnlyTopicPolicyPlugin';
const guard = { pluginClass: policy, priority: 100, config: { topic: 'audit-.*' } };

describe('what is hidden and what is filled in', () => {
  it('hides passthrough of an alias topic and fills in main', () => {
    const { put, get } = talk();
    const metadata = { name: 'orders' };
    const spec = { physicalName: 'orders-v3', physicalCluster: 'main' };
    expect(put('AliasTopic', metadata, { physicalName: 'orders-v3' })).toMatchObject({
      resource: { metadata, spec },
    });
    expect(get('/gateway/v2/alias-topic')).toEqual([
      { kind: 'AliasTopic', apiVersion: 'gateway/v2', metadata, spec },
    ]);
    expect(get('/gateway/v2/alias-topic?showDefaults=true')).toMatchObject([
      { metadata: { vCluster: 'passthrough' } },
    ]);
  });

  it('hides what is false in a concentration rule', () => {
    const { put, get } = talk();
    const spec = { pattern: 'a.*', physicalTopics: { delete: 'all' } };
    put('ConcentrationRule', { name: 'all' }, { ...spec, autoManaged: false });
    put('ConcentrationRule', { name: 'own' }, { ...spec, autoManaged: true });
    expect(get('/gateway/v2/concentration-rule?name=all')).toMatchObject([
      { metadata: { name: 'all' }, spec },
    ]);
    expect(get('/gateway/v2/concentration-rule?name=own')).toMatchObject([
      { spec: { ...spec, autoManaged: true } },
    ]);
    expect(get('/gateway/v2/concentration-rule?name=all&showDefaults=true')).toMatchObject([
      { metadata: { vCluster: 'passthrough' }, spec: { autoManaged: false, offsetCorrectness: false } },
    ]);
  });

  it('shows passthrough of a service account in the answer to a PUT and not in a list', () => {
    const { put, get } = talk();
    const whole = { name: 'jdoe', vCluster: 'passthrough' };
    expect(put('GatewayServiceAccount', { name: 'jdoe' }, { type: 'local' })).toEqual({
      resource: resource('GatewayServiceAccount', whole, { type: 'LOCAL' }),
      upsertResult: 'Created',
    });
    expect(get('/gateway/v2/service-account')).toMatchObject([
      { metadata: { name: 'jdoe' }, spec: { type: 'LOCAL' } },
    ]);
    expect(get('/gateway/v2/service-account?showDefaults=true')).toMatchObject([{ metadata: whole }]);
  });

  it('hides passthrough of a member and groups outside where there are none', () => {
    const { put, get } = talk();
    put('GatewayServiceAccount', { name: 'jdoe' }, { type: 'LOCAL' });
    put('GatewayGroup', { name: 'readers' }, { members: [{ name: 'jdoe', vCluster: 'passthrough' }] });
    const found = resource('GatewayGroup', { name: 'readers' }, { members: [{ name: 'jdoe' }] });
    expect(get('/gateway/v2/group')).toEqual([found]);
    expect(get('/gateway/v2/group/readers')).toEqual(found);
    expect(get('/gateway/v2/group/readers?showDefaults=true')).toMatchObject({
      spec: { members: [{ name: 'jdoe', vCluster: 'passthrough' }], externalGroups: [] },
    });
  });

  it('shows the whole scope of an interceptor and an empty comment', () => {
    const { put, get } = talk();
    put('Interceptor', { name: 'guard', scope: { username: 'me' } }, guard);
    expect(get('/gateway/v2/interceptor')).toEqual([
      resource(
        'Interceptor',
        { name: 'guard', scope: { vCluster: 'passthrough', group: null, username: 'me' } },
        { ...guard, comment: '' },
      ),
    ]);
  });

  it('has no use for null where a field may be left out', () => {
    const { put } = talk();
    put('AliasTopic', { name: 'orders' }, { physicalName: 'orders-v3' });
    expect(
      put(
        'AliasTopic',
        { name: 'orders', vCluster: null },
        { physicalName: 'orders-v3', physicalCluster: null },
      ),
    ).toMatchObject({ upsertResult: 'NotChanged' });
  });
});

describe('the connection of a Partner virtual cluster', () => {
  const spec = { type: 'Partner', aclEnabled: true, superUsers: ['admin'] };
  const connect = (version: string): Json => {
    const { put, get } = talk({ version });
    put('VirtualCluster', { name: 'mypartner' }, spec);
    expect(get('/gateway/v2/virtual-cluster/mypartner')).not.toHaveProperty('spec.bootstrapServers');
    put('AliasTopic', { name: 'orders', vCluster: 'mypartner' }, { physicalName: 'orders-v3' });
    return get('/gateway/v2/virtual-cluster/mypartner');
  };

  it('comes with its first alias topic, by authentication mode', () => {
    expect(connect('3.21.0')).toMatchObject({
      spec: {
        bootstrapServers: expect.any(String) as string,
        clientProperties: { PLAIN: { 'sasl.mechanism': 'PLAIN' } },
      },
    });
  });

  it('was flat up to 3.8', () => {
    expect(connect('3.6.0')).toMatchObject({ spec: { clientProperties: { 'sasl.mechanism': 'PLAIN' } } });
  });

  it('was not there up to 3.5', () => {
    expect(connect('3.5.0')).not.toHaveProperty('spec.bootstrapServers');
  });
});

describe('the filters of lists', () => {
  const everybody = { vCluster: null, group: null, username: null };
  const scopes = {
    all: everybody,
    mine: { username: 'me' },
    prod: { vCluster: 'prod' },
    readers: { group: 'readers' },
  };
  const filled = (): Talk => {
    const made = talk();
    made.put('VirtualCluster', { name: 'prod' }, {});
    made.put(
      'GatewayServiceAccount',
      { name: 'app', vCluster: 'prod' },
      { type: 'EXTERNAL', externalNames: ['x'] },
    );
    made.put('GatewayServiceAccount', { name: 'own' }, { type: 'LOCAL' });
    made.put('GatewayGroup', { name: 'readers' }, {});
    for (const [name, scope] of Object.entries(scopes)) made.put('Interceptor', { name, scope }, guard);
    return made;
  };
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['interceptor?global=true', ['all']],
    ['interceptor?global=false', ['all', 'mine', 'prod', 'readers']],
    ['interceptor?vcluster=prod', ['prod']],
    ['interceptor?vcluster=passthrough', ['mine', 'readers']],
    ['interceptor?vcluster=passthrough&username=me', ['mine']],
    ['interceptor?group=readers', ['readers']],
    ['interceptor?name=prod', ['prod']],
    ['interceptor?vcluster=nowhere', []],
    ['service-account?vcluster=prod', ['app']],
    ['service-account?type=External', ['app']],
    ['service-account?type=local', ['own']],
    ['service-account?name=ghost', []],
    ['service-account?vcluster=nowhere', []],
  ];
  it.each(cases)('%s', (url, names) => {
    const found = filled().get(`/gateway/v2/${url}`) as { metadata: { name: string } }[];
    expect(found.map(({ metadata }) => metadata.name)).toEqual(names);
  });

  it.each(['alias-topic', 'concentration-rule', 'concentrated-topic'])(
    '%s asks for a virtual cluster that is there',
    (kind) => {
      const { gateway } = filled();
      expect(gateway.handle('GET', `/gateway/v2/${kind}?vcluster=passthrough`).status).toBe(200);
      expect(gateway.handle('GET', `/gateway/v2/${kind}?vcluster=nowhere`)).toMatchObject({
        status: 404,
        body: { title: 'The given virtual cluster does not exist' },
      });
    },
  );

  it('answers in the order that it is told to', () => {
    const { gateway } = talk({ shuffle: (items) => [...items].reverse() });
    for (const name of ['one', 'two']) {
      gateway.handle('PUT', '/gateway/v2/virtual-cluster', resource('VirtualCluster', { name }));
    }
    expect(gateway.handle('GET', '/gateway/v2/virtual-cluster').body).toMatchObject([
      { metadata: { name: 'two' } },
      { metadata: { name: 'one' } },
    ]);
  });
});

describe('a dry run', () => {
  const dry = (
    gateway: EmbeddedGateway,
    kind: string,
    ...given: Parameters<Put> extends [string, ...infer R] ? R : never
  ) => gateway.handle('PUT', `${paths[kind] ?? ''}?dryMode=true`, resource(kind, ...given));

  it('says what it would do and keeps nothing', () => {
    const { gateway } = talk();
    const revision = gateway.revision();
    expect(dry(gateway, 'VirtualCluster', { name: 'prod' }, {})).toMatchObject({
      body: { upsertResult: 'Created' },
    });
    expect(gateway.handle('GET', '/gateway/v2/virtual-cluster').body).toEqual([]);
    expect(gateway.revision()).toBe(revision);
  });

  it('does not look at the plugin of an interceptor', () => {
    const { gateway } = talk();
    const spec = {
      pluginClass: 'io.conduktor.gateway.interceptor.NoSuchPlugin',
      priority: 1,
      config: { x: 1 },
    };
    expect(dry(gateway, 'Interceptor', { name: 'guard' }, spec).status).toBe(200);
    const url = '/gateway/v2/interceptor?dryMode=false';
    expect(gateway.handle('PUT', url, resource('Interceptor', { name: 'guard' }, spec)).status).toBe(400);
  });

  it('looks at references', () => {
    const { gateway } = talk();
    const spec = { physicalName: 'orders-v3' };
    expect(dry(gateway, 'AliasTopic', { name: 'orders', vCluster: 'nowhere' }, spec).status).toBe(404);
  });
});

describe('plugin classes', () => {
  const answerTo = (pluginClass: string, options?: Options, config: JsonObject = {}): number =>
    memoryGateway(catalog.kinds, options).handle(
      'PUT',
      '/gateway/v2/interceptor',
      resource('Interceptor', { name: 'guard' }, { pluginClass, priority: 1, config }),
    ).status;

  it("takes any class outside the gateway's own package, with any config", () => {
    expect(answerTo('org.example.Custom', {}, { any: [1] })).toBe(200);
  });

  it('takes only the custom classes that it was told of', () => {
    const plugins = ['org.example.Custom'];
    expect(answerTo('org.example.Custom', { plugins })).toBe(200);
    expect(answerTo('org.example.Other', { plugins })).toBe(400);
  });

  it('does not take a class that its version does not have any more', () => {
    const removed = 'io.conduktor.gateway.interceptor.FetchEncryptPlugin';
    expect(answerTo(removed, { version: '3.18.0' })).toBe(200);
    expect(answerTo(removed, { version: '3.19.0' })).toBe(400);
  });

  it('takes a placeholder for a value that it fills in itself', () => {
    const limit = 'io.conduktor.gateway.interceptor.safeguard.LimitConnectionPolicyPlugin';
    expect(answerTo(limit, {}, { maximumConnectionsPerSecond: '${LIMIT}' })).toBe(200);
    expect(answerTo(limit, {}, { maximumConnectionsPerSecond: 'many' })).toBe(400);
  });

  it('never shows a value of a config in a refusal', () => {
    const { body } = memoryGateway(catalog.kinds).handle(
      'PUT',
      '/gateway/v2/interceptor',
      resource('Interceptor', { name: 'guard' }, { ...guard, config: { topic: { password: 'hunter2' } } }),
    );
    expect(JSON.stringify(body)).not.toContain('hunter2');
  });

  it('are listed, with the custom ones', () => {
    const { get } = talk({ plugins: ['org.example.Custom'] });
    const listed = get('/gateway/v2/plugin') as readonly { plugin: string }[];
    const classes = listed.map(({ plugin }) => plugin);
    expect(classes).toContain(policy);
    expect(classes).toContain('org.example.Custom');
    expect(classes).not.toContain('io.conduktor.gateway.interceptor.FetchEncryptPlugin');
    expect(listed[0]).toMatchObject({
      pluginId: expect.any(String) as string,
      readme: expect.any(String) as string,
    });
  });
});

it('names no more than a few of many that stand in the way', () => {
  const { gateway, put } = talk();
  put('VirtualCluster', { name: 'prod' }, {});
  for (let at = 0; at < 50; at += 1)
    put('AliasTopic', { name: `t${at}`, vCluster: 'prod' }, { physicalName: 'x' });
  const { body } = gateway.handle('DELETE', '/gateway/v2/virtual-cluster/prod');
  expect(body).toMatchObject({ msg: expect.stringContaining('and 40 more') as string });
});
