import { describe, expect, it } from 'vitest';
import type { SelftestReport } from '../../src/outcome/selftest.ts';
import { makeWorld, verdictOf, type Ran, type World } from '../support/cli.ts';

/** A world with an embedded gateway that has these resources as they are. */
function having(...resources: readonly object[]): World {
  const state = { format: 'gwconf/gateway-state@1', version: '3.21.0', resources };
  const world = makeWorld({ 'gateway.json': JSON.stringify(state) });
  world.env['GWCONF_URL'] = 'embedded:gateway.json';
  return world;
}

const interceptor = (config: object, name = 'own'): object => ({
  apiVersion: 'gateway/v2',
  kind: 'Interceptor',
  metadata: { name, scope: { vCluster: 'passthrough', group: null, username: null } },
  spec: { pluginClass: 'com.example.Own', priority: 1, config },
});

function reportOf({ out }: Ran): SelftestReport {
  return JSON.parse(out) as SelftestReport;
}

describe('gwconf doctor --deep', () => {
  it('finds no difference, and counts what only looked different', async () => {
    const world = having(
      {
        apiVersion: 'gateway/v2',
        kind: 'GatewayGroup',
        metadata: { name: 'g' },
        spec: { externalGroups: ['b', 'a'] },
      },
      interceptor({}),
    );
    const ran = await world.run('doctor', '--deep');
    expect([ran.code, verdictOf(ran)]).toEqual([0, 'result: no-differences']);
    expect(ran.out).toMatch(/^ {2}GatewayGroup +order of a set +1 {2}\/spec\/externalGroups$/m);
    expect(ran.out).toMatch(/\nNo differences: 2 objects compared\.\n$/);
  });

  it('takes text that looks like a placeholder, a number or a date for what it is', async () => {
    const values = [
      '${TOKEN}',
      '$${TOKEN}',
      '$$${X}',
      '${a b}',
      '${',
      '1e3',
      '007',
      'yes',
      '2026-01-01',
      '',
      '{{x}}',
      '*a',
      '&b',
      '- c',
    ];
    const world = having(interceptor({ values, '${KEY}': 1, nested: { a: [[], {}, null, 1.5, -0.1] } }));
    const ran = await world.run('doctor', '--deep', '-o', 'json');
    expect(ran.code, ran.err).toBe(0);
  });

  it('is an error for what is live and cannot be declared, and shows neither its text nor a secret', async () => {
    const world = having(
      interceptor(
        { password: 'live-secret-1' },
        'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJlLW9mLXRoZS10b2tlbg',
      ),
      interceptor({}, 'good'),
    );
    const ran = await world.run('doctor', '--deep', '-o', 'json');
    expect([ran.code, reportOf(ran)]).toMatchObject([
      1,
      {
        result: 'error',
        problems: [{ code: 'exposed-secret' }],
      },
    ]);
    expect(ran.out + ran.err).not.toMatch(/live-secret-1|eyJhb/);
  });

  it('is an error where no gateway answers', async () => {
    const flags = ['doctor', '--deep', '--url', 'http://127.0.0.1:1'];
    const ran = await makeWorld().run(...flags, '-o', 'json');
    expect([ran.code, reportOf(ran).result]).toEqual([1, 'error']);
    expect((await makeWorld().run(...flags)).out).toMatch(/^Not everything was compared\.\n$/m);
  });
});
