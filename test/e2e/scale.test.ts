import { describe, expect, it } from 'vitest';
import { encodeSnapshot } from '../../src/emulator/snapshot.ts';
import type { Resource } from '../../src/model/resource.ts';
import type { ApplyReport } from '../../src/outcome/apply.ts';
import type { PlanReport } from '../../src/outcome/plan.ts';
import { makeWorld } from '../support/cli.ts';
import { written } from '../support/generate.ts';
import { resource, writableKinds } from '../support/kinds.ts';
import { serve, worldBeside } from '../support/served.ts';

const CLUSTERS = 100;

/** Ten thousand resources of every kind: a hundred teams with a hundred each. */
function tenThousand(priority: number): readonly Resource[] {
  return Array.from({ length: CLUSTERS }, (_, team): readonly Resource[] => {
    const vCluster = `team-${team}`;
    const each = (count: number, one: (at: number) => Resource): readonly Resource[] =>
      Array.from({ length: count }, (__, at) => one(at));
    return [
      resource('VirtualCluster', { name: vCluster }),
      ...each(39, (at) =>
        resource('AliasTopic', { name: `topic-${at}`, vCluster }, { physicalName: `physical-${at}` }),
      ),
      ...each(10, (at) =>
        resource(
          'ConcentrationRule',
          { name: `rule-${at}`, vCluster },
          { pattern: `r${at}-.*`, physicalTopics: { delete: 'all' }, autoManaged: true },
        ),
      ),
      ...each(30, (at) =>
        resource(
          'GatewayServiceAccount',
          { name: `app-${at}`, vCluster },
          { type: 'EXTERNAL', externalNames: [`${vCluster}-${at}`] },
        ),
      ),
      ...each(5, (at) =>
        resource(
          'GatewayGroup',
          { name: `${vCluster}-${at}` },
          {
            members: each(6, (i) => resource('x', { name: `app-${at * 6 + i}` })).map(({ metadata }) => ({
              name: metadata.name,
              vCluster,
            })),
          },
        ),
      ),
      ...each(15, (at) =>
        resource(
          'Interceptor',
          { name: `guard-${at}`, scope: { vCluster, group: `${vCluster}-${at % 5}` } },
          { pluginClass: 'com.example.Own', priority, config: { list: [1, 2, { name: `${at}` }] } },
        ),
      ),
    ];
  }).flat();
}

describe('ten thousand resources', () => {
  it('are planned with a call for each kind, all new or some of them changed', async () => {
    const there = await serve();
    const mine = worldBeside(there);
    mine.write('all.yaml', written(tenThousand(1)));
    const first = JSON.parse((await mine.run('plan', 'all.yaml', '-o', 'json')).out) as PlanReport;
    expect(first.summary).toMatchObject({ create: 10_000, unchanged: 0 });
    expect(there.requests).toHaveLength(writableKinds.length + 1); // and the plugins, since interceptors are new

    await there.put(...tenThousand(1));
    there.forget();
    mine.write('all.yaml', written(tenThousand(2)));
    const second = JSON.parse((await mine.run('plan', 'all.yaml', '-o', 'json')).out) as PlanReport;
    expect(there.requests).toHaveLength(writableKinds.length);
    expect(second.summary).toMatchObject({ create: 0, update: 1_500, unchanged: 8_500 });
    expect(
      second.changes.every(({ fields }) => fields.length === 1 && fields[0]?.path === '/spec/priority'),
    ).toBe(true);
  });

  it('are found at a state file as they are', async () => {
    const there = await serve();
    await there.put(...tenThousand(1));
    const mine = makeWorld({});
    mine.write('state.json', encodeSnapshot(there.gateway.snapshot()));
    mine.write('all.yaml', written(tenThousand(1)));
    expect((await mine.run('plan', 'all.yaml', '--url', 'embedded:state.json')).out).toContain(
      'No changes. 10000 objects up to date.',
    );
  });

  it('a fifth of them is applied with a call each, and a saved plan of it is as good', async () => {
    const there = await serve();
    const some = tenThousand(1).slice(0, 2_000);
    const mine = worldBeside(there, { 'some.yaml': written(some) });
    await mine.run('plan', 'some.yaml', '--out', 'p.plan');
    there.forget();
    const { result, ledger } = JSON.parse(
      (await mine.run('apply', 'p.plan', '-o', 'json')).out,
    ) as ApplyReport;
    expect(result).toBe('applied');
    expect(ledger.filter(({ outcome }) => outcome === 'done')).toHaveLength(2_000);
    expect(there.writes()).toHaveLength(2_000);
  });
});
