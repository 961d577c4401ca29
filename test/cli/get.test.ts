import { describe, expect, it } from 'vitest';
import { schemaAt } from '../../src/model/kind.ts';
import { parsePointer } from '../../src/model/json/json.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { makeWorld, verdictOf, type Ran, type World } from '../support/cli.ts';
import { resource } from '../support/kinds.ts';
import { serve, worldBeside, type Served } from '../support/served.ts';
import { documentOf, projectOf } from '../support/documents.ts';

const KINDS = [...catalog.kinds.values()];
const WRITABLE = KINDS.filter(({ removal }) => removal !== undefined);

/** A gateway with the example of every kind that can be written. */
async function serveExamples(
  faults?: Parameters<typeof serve>[1],
): Promise<{ readonly there: Served; readonly mine: World }> {
  const there = await serve({}, faults);
  await there.put(...WRITABLE.map(({ example }) => example));
  return { there, mine: worldBeside(there, {}) };
}

const names = ({ out }: Ran): readonly string[] => out.trimEnd().split('\n');

describe('gwconf get', () => {
  it('shows a table for each kind, as wide as the terminal, and counts no plugin class as an object', async () => {
    const { there, mine } = await serveExamples();
    const { code, out } = await mine.runWith({ columns: 80 }, 'get');
    expect(code).toBe(0);
    expect(out).toBe(`VirtualCluster (1)
  NAME  TYPE      ACLS  ACL MODE   SUPER USERS
  prod  Standard  true  KAFKA_API  prod-admin

AliasTopic (1)
  NAME    VCLUSTER  PHYSICAL NAME  PHYSICAL CLUSTER
  orders  prod      orders-v3      main

ConcentrationRule (1)
  NAME    VCLUSTER  PATTERN    PHYSICAL TOPIC  AUTO MANAGED
  events  prod      events-.*  prod-events     true

GatewayServiceAccount (1)
  NAME          VCLUSTER  TYPE      EXTERNAL NAME
  payments-app  prod      EXTERNAL  00u9vme99nxudvxZA0h7

GatewayGroup (1)
  NAME      MEMBERS       EXTERNAL GROUPS
  payments  payments-app  payments-readers

Interceptor (1)
  NAME       SCOPE          PRIORITY  CLASS
  read-only  vCluster=prod  100       ReadOnlyTopicPolicyPlugin

6 objects on ${there.url}.
`);
  });

  it.each(KINDS)('has columns for $name, of fields that it has', ({ columns, schema }) => {
    expect(columns.length).toBeGreaterThan(0);
    for (const { at } of columns) {
      const [field, ...tokens] = parsePointer(at);
      const form = field === 'metadata' ? schema.metadata : schema.spec;
      expect(schemaAt({ spec: form }, ['spec', ...tokens]), at).toBeDefined();
    }
  });

  it('lists what files cannot declare', async () => {
    const { mine } = await serveExamples();
    const plugins = await mine.run('get', 'plugins', '-o', 'name');
    expect(names(plugins)).toContain('Plugin/io.conduktor.gateway.interceptor.AuditPlugin');
    expect((await mine.run('get', 'ConcentratedTopic')).code).toBe(0);
  });

  it.each([
    ['Interceptor', ['Interceptor/read-only@vCluster=prod']],
    ['interceptors', ['Interceptor/read-only@vCluster=prod']],
    ['GatewayInterceptor', ['Interceptor/read-only@vCluster=prod']],
    ['Interceptor/read-only', ['Interceptor/read-only@vCluster=prod']],
    ['interceptor/read-only@vCluster=prod', ['Interceptor/read-only@vCluster=prod']],
    ['*/orders', ['AliasTopic/orders@vCluster=prod']],
    [
      'alias-topic,service-accounts',
      ['AliasTopic/orders@vCluster=prod', 'GatewayServiceAccount/payments-app@vCluster=prod'],
    ],
    ['GatewayG*', ['GatewayGroup/payments']],
    ['*payments* !*Group*', ['GatewayServiceAccount/payments-app@vCluster=prod']],
    [
      '*@vCluster=prod !interceptors !ConcentrationRule/events',
      ['AliasTopic/orders@vCluster=prod', 'GatewayServiceAccount/payments-app@vCluster=prod'],
    ],
    ['--kind group --kind AliasTopic', ['AliasTopic/orders@vCluster=prod', 'GatewayGroup/payments']],
    ['*payments* --kind groups', ['GatewayGroup/payments']],
  ])('%s', async (line, found) => {
    const { mine } = await serveExamples();
    const ran = await mine.run('get', ...line.split(' '), '-o', 'name');
    expect(ran.code, ran.err).toBe(0);
    expect(names(ran)).toEqual(found);
  });

  it('lists only the kinds that it looks for, with one call each', async () => {
    const { there, mine } = await serveExamples();
    there.forget();
    await mine.run('get', 'Interceptor/read-only', 'Alias*');
    expect(there.requests.map(({ path }) => path).sort()).toEqual([
      '/gateway/v2/alias-topic',
      '/gateway/v2/interceptor',
    ]);
  });

  it('fails for an address that does not exist, with a similar one, and not for a glob', async () => {
    const { mine } = await serveExamples();
    const one = await mine.run('get', 'Interceptor/reed-only', 'AliasTopic/orders');
    expect([one.code, verdictOf(one)]).toEqual([1, 'result: not-found']);
    expect(one.out).toContain('orders-v3');
    expect(one.err).toContain('error[not-found]: there is no Interceptor/reed-only');
    expect(one.err).toContain('did you mean Interceptor/read-only@vCluster=prod?');
    const none = await mine.run('get', 'AliasTopic/nothing*', 'ConcentratedTopic');
    expect([none.code, verdictOf(none)]).toEqual([0, 'result: ok']);
    expect(none.err).toContain('nothing matches AliasTopic/nothing*');
    expect(none.out).toContain('0 objects');
    const glob = await mine.run('get', 'reed-*');
    expect([glob.code, verdictOf(glob)]).toEqual([0, 'result: ok']);
    expect(glob.err).toContain('nothing matches reed-*');
  });

  it.each([
    [
      'get interceptr',
      'unknown kind "interceptr"; did you mean Interceptor? (an object is written as Kind/name)',
    ],
    ['get interceptors mask', 'unknown kind "mask"; use one of VirtualCluster'],
    ['get --kind nothing', 'unknown kind "nothing"'],
    ['get Nothing/at-all', 'unknown kind "Nothing"'],
    [
      'get interceptors AliasTopic/orders --kind interceptor',
      '--kind interceptor leaves out AliasTopic/orders',
    ],
    ['get -o ndjson', 'get prints -o human, -o json, -o yaml, -o name'],
  ])('%s is invalid usage', async (line, message) => {
    const ran = await makeWorld().run(...line.split(' '), '--url', 'embedded:');
    expect(ran.code).toBe(64);
    expect(ran.err).toContain(message);
  });

  it('does not take an empty variable for everything', async () => {
    expect((await makeWorld().run('get', '', '--url', 'embedded:')).err).toContain("found ''");
  });

  it('prints YAML that declares the same, and JSON with what was found', async () => {
    const there = await serve();
    const own = { pluginClass: 'com.example.Own', priority: 1, config: { text: 'a ${NAME} {{b}}' } };
    await there.put(resource('Interceptor', { name: 'own', scope: { vCluster: 'passthrough' } }, own));
    const mine = worldBeside(there, {});
    const { out } = await mine.run('get', 'interceptors', '-o', 'yaml');
    expect(out).toContain('text: "a $${NAME} {{b}}"');
    mine.write('own.yaml', out);
    expect(verdictOf(await mine.run('plan', 'own.yaml'))).toBe('result: no-changes');
    const { out: json } = await mine.run('get', 'interceptors', '-o', 'json');
    expect(JSON.parse(json)).toMatchObject({
      format: 'gwconf/get-report@1',
      result: 'ok',
      gateway: there.url,
      summary: { Interceptor: 1 },
      resources: [{ address: 'Interceptor/own@vCluster=passthrough', kind: 'Interceptor', spec: own }],
      unavailable: [],
      problems: [],
    });
  });

  it('reads a snapshot', async () => {
    const { there, mine } = await serveExamples();
    await mine.run('snapshot', '--out', 's.json');
    there.forget();
    const offline = makeWorld({ 's.json': mine.read('s.json') });
    const all = await offline.run('get', '--snapshot', 's.json');
    expect(all.code).toBe(0);
    expect(all.out).toContain(`6 objects on ${there.url}, in a snapshot of 2026-03-01`);
    expect(all.out).not.toContain('\nPlugin');
    const plugins = await offline.run('get', '--snapshot', 's.json', 'plugins');
    expect(plugins.code).toBe(1);
    expect(plugins.err).toContain('leave out --snapshot, to ask the gateway');
    expect((await offline.run('get', '--snapshot', 's.json', '--url', 'http://x')).code).toBe(64);
    expect((await offline.run('get', '--snapshot', 'missing.json')).code).toBe(64);
    expect(there.requests).toEqual([]);
  });
});

describe('gwconf get, where not all can be listed', () => {
  it('says which kinds the gateway does not serve, and fails if one of them was asked for', async () => {
    const there = await serve({ security: 'PLAINTEXT' });
    const mine = worldBeside(there, {});
    const all = await mine.run('get');
    expect([all.code, verdictOf(all)]).toEqual([0, 'result: ok']);
    expect(all.out).toContain('VirtualCluster is not available: ');
    const one = await mine.run('get', 'virtual-clusters', 'plugins');
    expect([one.code, verdictOf(one)]).toEqual([1, 'result: incomplete']);
    expect(one.err).toContain('error[kind-unavailable]: VirtualCluster is not available: ');
    expect(one.out).toContain('AuditPlugin');
    const none = await mine.run('get', '--kind', 'VirtualCluster');
    expect([none.code, verdictOf(none)]).toEqual([1, 'result: error']);
  });

  it('lists the others if one list fails', async () => {
    const broken = { status: 500, body: { title: 'out of order' } };
    const { mine } = await serveExamples({
      intercept: ({ url }, handle) => Promise.resolve(url.endsWith('/group') ? broken : handle()),
    });
    for (const format of ['human', 'json', 'name']) {
      const ran = await mine.run('get', '-o', format);
      expect([ran.code, verdictOf(ran)]).toEqual([1, 'result: incomplete']);
      expect(ran.out).toContain('orders');
      expect(ran.err).toContain('error[gateway-error]: GatewayGroup cannot be listed: ');
    }
  });

  it('lists the others where the gateway does not have a list that all gateways have', async () => {
    const gone = { status: 404, body: {} };
    const { mine } = await serveExamples({
      intercept: ({ url }, handle) =>
        Promise.resolve(/\/(?:group|concentrated-topic)$/.test(url) ? gone : handle()),
    });
    const ran = await mine.run('get', '-o', 'name');
    expect([ran.code, verdictOf(ran)]).toEqual([1, 'result: incomplete']);
    expect(ran.out).toContain('orders');
    expect(ran.err).toContain(
      'error[gateway-error]: GatewayGroup cannot be listed: the gateway does not have it (404)',
    );
    expect(ran.err).not.toContain('ConcentratedTopic');
  });

  it('fails if there is no gateway', async () => {
    const ran = await makeWorld().run('get', '--url', 'http://127.0.0.1:1', '-o', 'json');
    expect([ran.code, verdictOf(ran)]).toEqual([1, 'result: error']);
    expect(ran.err.match(/connection-error/g)).toHaveLength(1);
    expect(JSON.parse(ran.out)).toMatchObject({
      result: 'error',
      resources: [],
      problems: [{ code: 'connection-error' }],
    });
  });
});

describe('gwconf get hides secrets', () => {
  const OWN = { pluginClass: 'com.example.Own', priority: 1 };
  const FILE = documentOf(
    'Interceptor',
    '{ name: own }',
    '{ pluginClass: com.example.Own, priority: 1, config: { note: "${NOTE}" } }',
  );
  const PROJECT = projectOf({ prod: 'files: [own.yaml]' });

  async function serveOwn(): Promise<World> {
    const there = await serve();
    const config = { note: 'from a variable', token: 'by its name' };
    await there.put(resource('Interceptor', { name: 'own' }, { ...OWN, config }));
    return worldBeside(there, { 'own.yaml': FILE, 'gwconf.yaml': PROJECT });
  }

  it.each(['human', 'json', 'yaml', 'name'])(
    'in %s, also those that files show to be some',
    async (format) => {
      const mine = await serveOwn();
      const { code, out } = await mine.run('get', '-o', format);
      expect(code).toBe(0);
      expect(out).toContain('own');
      expect(out).not.toContain('from a variable');
      expect(out).not.toContain('by its name');
    },
  );

  it('and shows no values if files have errors, which may name secrets', async () => {
    const mine = await serveOwn();
    mine.write('own.yaml', `${FILE}\n  : [`);
    for (const format of ['json', 'yaml']) {
      const ran = await mine.run('get', '-o', format);
      expect([ran.code, verdictOf(ran)]).toEqual([1, 'result: error']);
      expect(ran.out).not.toContain('from a variable');
      expect(ran.err).toContain('error[invalid-yaml]');
    }
    for (const format of ['human', 'name']) {
      const ran = await mine.run('get', 'interceptors', '-o', format);
      expect(ran.code).toBe(0);
      expect(ran.out).toContain('own');
    }
  });
});
