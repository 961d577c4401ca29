import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json/json.ts';
import type { Resource } from '../../src/model/resource.ts';
import { verdictOf, wrongUsage } from '../support/cli.ts';
import { resource } from '../support/kinds.ts';
import { serve, worldBeside, type Served } from '../support/served.ts';

const GLOBAL = { vCluster: null, group: null, username: null };
const limit = (name: string, priority: number, scope: JsonObject): Resource =>
  resource(
    'Interceptor',
    { name, scope },
    { pluginClass: 'com.example.Own', priority, config: { token: 'hvs.secret-of-own' } },
  );
const WORLD = [
  resource('VirtualCluster', { name: 'prod' }),
  resource('GatewayServiceAccount', { name: 'app', vCluster: 'prod' }, { type: 'LOCAL' }),
  resource('GatewayGroup', { name: 'team' }, { members: [{ name: 'app', vCluster: 'prod' }] }),
  limit('limit', 300, GLOBAL),
  limit('limit', 200, { vCluster: 'prod' }),
  limit('limit', 100, { vCluster: 'prod', username: 'app' }),
  limit('mask', 150, { vCluster: 'prod', group: 'team' }),
  limit('audit', 5, GLOBAL),
];
const CLIENT = ['--as', 'app', '--virtual-cluster', 'prod', '--group', 'team'];

/** A gateway with these objects, whose answer to a resolve is changed. */
async function gatewayWith(
  change?: (answer: readonly JsonObject[]) => readonly JsonObject[],
): Promise<Served> {
  const there = await serve(
    {},
    {
      intercept: (request, handle) => {
        const answer = handle();
        const isResolve = request.url.endsWith('/resolve') && change !== undefined;
        return Promise.resolve(
          isResolve ? { ...answer, body: change(answer.body as readonly JsonObject[]) } : answer,
        );
      },
    },
  );
  await there.put(...WORLD);
  return there;
}

describe('gwconf resolve', () => {
  it('shows what runs for a client, why, and instead of what', async () => {
    const ran = await worldBeside(await gatewayWith()).run('resolve', ...CLIENT);
    expect(ran).toMatchObject({ code: 0, err: 'result: ok\n' });
    expect(ran.out.replace(/http:.*\d/, 'URL')).toBe(
      [
        'For the user app in virtual cluster prod, with team as groups:',
        '',
        '  PRIORITY  NAME   CLASS  WHY           INSTEAD OF',
        '  5         audit  Own    global        -',
        '  100       limit  Own    username=app  global; vCluster=prod',
        '  150       mask   Own    group=team    -',
        '',
        '3 interceptors on URL.',
        '',
      ].join('\n'),
    );
  });

  it('is about passthrough, and a client without a name, unless it is told', async () => {
    const there = await gatewayWith();
    const ran = await worldBeside(there).run('resolve', '-o', 'json');
    expect(JSON.parse(ran.out)).toMatchObject({
      client: { virtualCluster: 'passthrough', groups: [] },
      interceptors: [{ name: 'audit' }, { address: 'Interceptor/limit@global', overrides: [] }],
    });
    expect(ran.out).not.toContain('hvs.secret-of-own');
  });

  it('knows the groups of the client on the gateway, as effective --as does', async () => {
    const world = worldBeside(await gatewayWith());
    const named = await world.run('resolve', ...CLIENT);
    expect(await world.run('resolve', ...CLIENT.slice(0, -2))).toEqual(named);
    const effective = await world.run('effective', '--live', ...CLIENT.slice(0, -2), '-o', 'json');
    const resolved = await world.run('resolve', ...CLIENT.slice(0, -2), '-o', 'json');
    const { principals } = JSON.parse(effective.out) as {
      principals: readonly { groups: readonly string[] }[];
    };
    const groups = principals[0]?.groups;
    expect((JSON.parse(resolved.out) as { client: { groups: string[] } }).client.groups).toEqual(groups);
    expect(groups).toEqual(['team']);
  });

  it('knows those of an account in passthrough, which a member does not name, and adds those that are named', async () => {
    const there = await serve();
    await there.put(
      resource('GatewayServiceAccount', { name: 'app' }, { type: 'LOCAL' }),
      resource('GatewayGroup', { name: 'team' }, { members: [{ name: 'app' }] }),
      resource('GatewayGroup', { name: 'night' }, {}),
    );
    const ran = await worldBeside(there).run('resolve', '--as', 'app', '--group', 'night');
    expect(ran.out).toContain('For the user app in virtual cluster passthrough, with night, team as groups:');
  });

  it('warns of a name that is nearly that of an account, and of an account in another virtual cluster', async () => {
    const there = await gatewayWith();
    await there.put(
      resource('GatewayServiceAccount', { name: 'orders', vCluster: 'prod' }, { type: 'LOCAL' }),
    );
    const world = worldBeside(there);
    const misspelt = await world.run('resolve', '--as', 'order', '--virtual-cluster', 'prod');
    expect([misspelt.code, misspelt.err]).toEqual([
      0,
      'warning[not-found]: there is no GatewayServiceAccount/order@vCluster=prod on the gateway\n = did you mean GatewayServiceAccount/orders@vCluster=prod?\n\nresult: ok\n',
    ]);
    expect((await world.run('resolve', '--as', 'orders')).err).toContain(
      'the account orders is in prod, and this is what runs for a client of that name in passthrough\n = add --virtual-cluster prod',
    );
  });

  it('warns of a virtual cluster and a group that are not there', async () => {
    const ran = await worldBeside(await gatewayWith()).run(
      'resolve',
      '--virtual-cluster',
      'prd',
      '--group',
      'teem',
    );
    expect(ran.code).toBe(0);
    expect(ran.err).toContain(
      'there is no VirtualCluster/prd on the gateway\n = did you mean VirtualCluster/prod?',
    );
    expect(ran.err).toContain(
      'there is no GatewayGroup/teem on the gateway\n = did you mean GatewayGroup/team?',
    );
  });

  it.each([
    [
      'more',
      (answer: readonly JsonObject[]) => [...answer, limit('limit', 300, GLOBAL)],
      'Interceptor/limit@global runs on the gateway, but not by the rule of scopes',
    ],
    [
      'less',
      (answer: readonly JsonObject[]) => answer.slice(1),
      'Interceptor/audit@global does not run on the gateway, but does by the rule of scopes',
    ],
    [
      'another order',
      (answer: readonly JsonObject[]) => [...answer].reverse(),
      'the gateway does not answer in the order of priorities',
    ],
  ])(
    'shows the answer of the gateway and warns when it has %s than the rule',
    async (_, change, sentence) => {
      const ran = await worldBeside(await gatewayWith(change)).run('resolve', ...CLIENT);
      expect(ran.code).toBe(0);
      expect(ran.err).toContain(`warning[unexpected-chain]: ${sentence}`);
      expect(ran.err.match(/unexpected-chain/g)).toHaveLength(1);
    },
  );

  it('works on a gateway without virtual clusters, and says what it has left out', async () => {
    const there = await serve({ security: 'PLAINTEXT' });
    await there.put(limit('audit', 5, GLOBAL));
    const ran = await worldBeside(there).run('resolve');
    expect([ran.code, verdictOf(ran)]).toEqual([0, 'result: ok']);
    expect(ran.err).toContain('info[kind-unavailable]: VirtualCluster is not available: it is left out: ');
  });

  it('fails where the gateway has no such call', async () => {
    const there = await serve({ version: '3.2.0' });
    const ran = await worldBeside(there).run('resolve', '--as', 'app');
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toContain('the gateway must be 3.3.0 or later');
  });

  it('needs names that are not empty', async () => {
    const ran = await worldBeside(await gatewayWith()).run('resolve', '--as', '');
    expect(ran.err).toBe(wrongUsage('--as, --virtual-cluster and --group need a name; found none'));
  });
});
