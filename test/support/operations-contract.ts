import { afterEach, describe, expect, it } from 'vitest';
import { makeSigner } from '../../src/emulator/signer.ts';
import type { Options } from '../../src/emulator/embedded-state.ts';
import type { Gateway, GatewayOperations } from '../../src/gateway/gateway.ts';
import type { JsonObject } from '../../src/model/json/json.ts';
import type { Resource } from '../../src/model/resource.ts';
import { kindOf, resource } from './kinds.ts';

type Opened = { readonly gateway: Gateway & GatewayOperations; readonly close: () => Promise<void> };

const userPool = { now: () => 1_000_999, sign: makeSigner('secret') };
const WORLD: readonly Resource[] = [
  resource('VirtualCluster', { name: 'prod' }),
  resource('GatewayServiceAccount', { name: 'jdoe', vCluster: 'prod' }, { type: 'LOCAL' }),
  resource('GatewayServiceAccount', { name: 'oidc' }, { type: 'EXTERNAL', externalNames: ['sub'] }),
  guard('limit', 200, { vCluster: null, group: null, username: null }),
  guard('mask', 100, { vCluster: 'prod' }),
  guard('limit', 300, { vCluster: 'prod', username: 'jdoe' }),
];

function guard(name: string, priority: number, scope: JsonObject): Resource {
  return resource('Interceptor', { name, scope }, { pluginClass: 'com.example.Own', priority, config: {} });
}

/** What everything that calls itself GatewayOperations does. */
export function describeOperations(name: string, open: (options: Options) => Promise<Opened>): void {
  const opened: Opened[] = [];
  const make = async (options: Options = {}): Promise<GatewayOperations> => {
    const one = await open({ userPool, ...options });
    opened.push(one);
    for (const each of WORLD) await one.gateway.put(kindOf(each.kind), each);
    return one.gateway;
  };
  afterEach(async () => {
    for (const { close } of opened.splice(0)) await close();
  });

  describe(`${name}: an operation`, () => {
    it('issues a token for a local account', async () => {
      const operations = await make();
      const token = await operations.issueToken({ username: 'jdoe', vCluster: 'prod', lifeTimeSeconds: 60 });
      const [, claims = ''] = token.split('.');
      expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toEqual({
        username: 'jdoe',
        vcluster: 'prod',
        exp: 1060,
      });
    });

    it.each([
      ['conflict', 'an EXTERNAL account', { username: 'oidc' }, {}],
      [
        'conflict',
        'a gateway without local users',
        { username: 'jdoe', vCluster: 'prod' },
        { userPool: undefined },
      ],
      ['not-found', 'an unknown account', { username: 'jdoe' }, {}],
      ['not-found', 'an unknown virtual cluster', { username: 'jdoe', vCluster: 'other' }, {}],
    ] as const)('is refused as %s a token for %s', async (code, _, request, options) => {
      const operations = await make(options as Options); // undefined takes the default away
      const call = operations.issueToken({ ...request, lifeTimeSeconds: 60 });
      await expect(call).rejects.toMatchObject({ name: 'GatewayError', code });
    });

    it('resolves the interceptors of a principal, in the order in which they run', async () => {
      const operations = await make();
      const namesFor = async (...[principal]: [Parameters<GatewayOperations['resolveInterceptors']>[1]]) => {
        const found = await operations.resolveInterceptors(kindOf('Interceptor'), principal);
        return found.map(({ metadata, spec }) => `${metadata.name} ${JSON.stringify(spec['priority'])}`);
      };
      expect(await namesFor({})).toEqual(['limit 200']);
      expect(await namesFor({ vCluster: 'prod', groups: ['team'] })).toEqual(['mask 100', 'limit 200']);
      expect(await namesFor({ vCluster: 'prod', username: 'jdoe' })).toEqual(['mask 100', 'limit 300']);
    });

    it('sends the traffic of a physical cluster to a configured one, and back', async () => {
      const { switchCluster } = await make({ version: '3.21.0', physicalClusters: ['main', 'failover'] });
      await switchCluster({ api: 'v2', from: 'main', to: 'failover' });
      await switchCluster({ api: 'v2', from: 'main', to: 'main' });
      const other = switchCluster({ api: 'v2', from: 'main', to: 'other' });
      await expect(other).rejects.toMatchObject({ name: 'GatewayError', code: 'refused' });
    });

    it('shows by v1 that a physical cluster has the connection of another one', async () => {
      const { switchCluster, readConnection } = await make({
        version: '3.20.0',
        physicalClusters: ['main', 'failover'],
      });
      expect(await readConnection('main')).not.toEqual(await readConnection('failover'));
      await switchCluster({ api: 'v1', from: 'main', to: 'failover' });
      expect(await readConnection('main')).toEqual(await readConnection('failover'));
      await expect(readConnection('other')).rejects.toMatchObject({ name: 'GatewayError', code: 'refused' });
    });

    it('has no API for clusters that its version does not have', async () => {
      const { switchCluster, readConnection } = await make({ version: '3.21.0' });
      const calls = [switchCluster({ api: 'v1', from: 'main', to: 'main' }), readConnection('main')];
      for (const call of calls)
        await expect(call).rejects.toMatchObject({ name: 'GatewayError', code: 'not-found' });
      const older = await make({ version: '3.20.0' });
      const call = older.switchCluster({ api: 'v2', from: 'main', to: 'main' });
      await expect(call).rejects.toMatchObject({ name: 'GatewayError', code: 'not-found' });
    });

    it.each(['3.3.0', '3.8.0', '3.9.0', '3.12.0', '3.21.0'])(
      'reads health and version of gateway %s',
      async (version) => {
        const operations = await make({ version });
        expect(await operations.readHealth()).toEqual({ live: true, ready: true });
        expect(await operations.readVersion()).toBe(version);
      },
    );
  });
}
